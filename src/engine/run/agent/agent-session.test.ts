import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqliteStore } from "../../../adapters/stores/sqlite/open.ts";
import { DEFAULT_POLICY } from "../../../core/pipeline/pipeline-policy.ts";
import type { Agent } from "../../../ports/agent.ts";
import type { Store } from "../../../ports/store.ts";
import { committing, sampleEnd, sampleRun, SILENT_LOG, startTask } from "../../../testing/store/samples.ts";
import { chooseSession } from "./start-agent.ts";
import type { StepContext } from "../step-context.ts";

let store: Store;
beforeEach(async () => {
  store = await openSqliteStore({ file: ":memory:", log: SILENT_LOG });
});
afterEach(() => store.close());

const agent = { capabilities: { sessions: true } } as Agent;

/** The session of a run whose predecessor had a session and ended with this outcome. */
async function sessionAfter(outcome: string) {
  const { task, run, lease } = await startTask(store);
  await store.tasks.updateRun(lease, { sessionId: "s-1" });
  const newRun = sampleRun(task, { trigger: { kind: "resume", text: outcome, run: null } });
  await store.tasks.commit(
    committing(task, { lease, endRun: sampleEnd(run.id, { status: "failed", outcome }), newRun }),
  );
  const next = await store.tasks.takeRun(newRun.id, 3_000);
  const ports = { store, digest: (text: string) => createHash("sha256").update(text).digest("hex") };
  const context = {
    ports,
    task,
    run: next,
    pipeline: { policy: DEFAULT_POLICY },
    state: { workspace: "task" },
  } as unknown as StepContext;
  return chooseSession(context, "implement", agent, "scripted");
}

describe("chooseSession()", () => {
  it.each(["timeout", "interrupted", "usage_limit"])("resumes the session after %s", async (outcome) => {
    expect(await sessionAfter(outcome)).toEqual({ kind: "resume", id: "s-1" });
  });

  it("starts a new session after one that was too long", async () => {
    expect(await sessionAfter("context_too_long")).toMatchObject({ kind: "new" });
  });
});
