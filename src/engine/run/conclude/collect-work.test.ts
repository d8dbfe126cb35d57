import { expect, it } from "vitest";
import { SILENT_LOG } from "../../../testing/store/samples.ts";
import { outcomeOf, type StepContext } from "../step-context.ts";
import { collectWork } from "./collect-work.ts";

const WORK = { baseCommit: "base", headCommit: "base" };

function contextWith(workspaces: { collect: () => Promise<unknown>; diff?: () => Promise<unknown> }): StepContext {
  return {
    ports: { workspaces, log: SILENT_LOG, secrets: { redact: <T>(value: T): T => value } },
    task: { id: "task_1", title: "Greet" },
    run: { id: "run_1", role: "implement", step: "agent", attempt: 1, createdAt: 0 },
    project: { name: "shop" },
  } as unknown as StepContext;
}

it("a diff that cannot be kept is a recorded failure, and the commit still counts", async () => {
  const context = contextWith({
    collect: async () => ({ commit: "new" }),
    diff: async () => Promise.reject(new Error("disk full")),
  });
  const collected = await collectWork(context, WORK, {
    role: "implement",
    outcome: outcomeOf("implemented", "done", { summary: "done" }),
  });
  expect(collected).toEqual({
    commit: "new",
    isDiscarded: false,
    changedPaths: new Set(),
    work: { baseCommit: "base", headCommit: "new" },
    isEmpty: false,
    artifacts: [],
    failures: ["The diff could not be kept: disk full"],
  });
});

it("files that cannot be collected after a failed run are a recorded failure; after a good run they fail the step", async () => {
  const context = contextWith({ collect: async () => Promise.reject(new Error("workspace is gone")) });
  const failed = await collectWork(context, WORK, { role: "implement", outcome: outcomeOf("agent_error", "broke") });
  expect(failed).toMatchObject({
    commit: null,
    failures: ["The run's files could not be collected: workspace is gone"],
  });
  const good = { role: "implement", outcome: outcomeOf("implemented", "done", { summary: "done" }) } as const;
  await expect(collectWork(context, WORK, good)).rejects.toThrow("workspace is gone");
});
