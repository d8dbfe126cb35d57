import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqliteStore } from "../../adapters/stores/sqlite/open.ts";
import { PROPOSAL_STATUSES, type ProposalStatus } from "../../core/nightly/proposal.ts";
import type { Role } from "../../core/task/role.ts";
import type { Store } from "../../ports/store.ts";
import { committing, sampleEnd, SILENT_LOG, startTask } from "../../testing/store/samples.ts";
import { recordProposals, selectedProposalId } from "./ledger.ts";
import { rememberAbandoned } from "./remember-proposals.ts";
import type { StepContext } from "../run/step-context.ts";

const ANALYSIS = {
  category: "docs",
  candidates: [{ rank: 1, title: "Fix the typo", files: ["a.md"], description: "d", rationale: "r" }],
  selected: 1,
  dropped: [],
};

let store: Store;
beforeEach(async () => {
  store = await openSqliteStore({ file: ":memory:", log: SILENT_LOG });
});
afterEach(() => store.close());

/** The new status of a night's selected proposal after a run of this role gave up its item. */
async function giveUpItem(status: ProposalStatus, role: Role, hasLedger = true): Promise<ProposalStatus | undefined> {
  const items = { list: ["docs", "tests"], at: 0, scheduled: 1, tried: [] };
  const { task, run, lease } = await startTask(store, { pipeline: "improve", items });
  const endRun = sampleEnd(run.id, { outcome: "improvement_found", payload: ANALYSIS });
  await store.tasks.commit(committing(task, { lease, endRun }));
  const ports = {
    store,
    clock: { now: () => 3_000 },
    digest: (text: string) => createHash("sha256").update(text).digest("hex"),
    secrets: { redact: <T>(value: T): T => value },
  };
  const pipeline = { policy: { ledger: hasLedger } };
  const context = { ports, task, pipeline, project: { name: task.project }, run: { ...run, role } };
  const asContext = context as unknown as StepContext;
  await recordProposals(asContext, { analysis: ANALYSIS, baseCommit: "b1" });
  await store.ledger.updateProposal(selectedProposalId(asContext, ANALYSIS) ?? "", { status });
  const tried = [{ item: "docs", outcome: "policy_failed", reason: "no", filesScanned: null }];
  await rememberAbandoned(asContext, { items: { ...items, tried } });
  return (await store.ledger.listProposals({ project: null, statuses: null, limit: 10 }))[0]?.status;
}

describe("rememberAbandoned()", () => {
  it.each(PROPOSAL_STATUSES)("status %s: changes only proposed to abandoned", async (status) => {
    expect(await giveUpItem(status, "implement")).toBe(status === "proposed" ? "abandoned" : status);
  });

  it("changes nothing in a pipeline without a ledger", async () => {
    expect(await giveUpItem("proposed", "implement", false)).toBe("proposed");
  });

  it.each(PROPOSAL_STATUSES)("status %s: does not change after a failed analysis", async (status) => {
    expect(await giveUpItem(status, "analyze")).toBe(status);
  });
});
