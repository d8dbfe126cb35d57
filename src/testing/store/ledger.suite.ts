import { describe, expect, it } from "vitest";
import type { Proposal } from "../../core/nightly/proposal.ts";
import type { ListProposalsQuery } from "../../ports/store.ts";
import { makeProposal, makeRule } from "../builders.ts";
import type { Current } from "./current.ts";
import { creating, sampleEvent, sampleTask } from "./samples.ts";

const ALL: ListProposalsQuery = { project: null, statuses: null, limit: 100 };

export function testLedger(current: Current): void {
  const list = (over: Partial<ListProposalsQuery> = {}) => current.store.ledger.listProposals({ ...ALL, ...over });
  const ids = async (over: Partial<ListProposalsQuery>) => (await list(over)).map(({ id }) => id);
  const events = async () =>
    (await current.store.events.listEvents({ after: 0, task: null, limit: 100 })).map(({ summary }) => summary);

  describe("proposals", () => {
    const full = makeProposal({
      files: ["src/größe.ts", 'a "b"\n.md'],
      patch: "p",
      reason: { kind: "too_big", text: "too much, 'really'", by: "ada", at: 7 },
      askedAt: 6,
    });
    const bare: Proposal = makeProposal({ id: "prop_2", status: "proposed", url: null, number: null, at: 2_000 });

    it("are stored unchanged and replaced by id", async () => {
      await current.store.ledger.saveProposals([full, bare]);
      expect(await list()).toEqual([bare, full]);
      await current.store.ledger.saveProposals([{ ...bare, status: "rejected" }]);
      expect(await list()).toEqual([{ ...bare, status: "rejected" }, full]);
      await current.store.ledger.saveProposals([]);
    });

    it("are listed newest first, by project, task and status, up to a limit", async () => {
      await current.store.ledger.saveProposals([
        makeProposal({ id: "prop_a", at: 1 }),
        makeProposal({ id: "prop_b", at: 3, status: "closed", task: "task_b" }),
        makeProposal({ id: "prop_c", at: 2, status: "merged", project: "api" }),
      ]);
      expect(await ids({})).toEqual(["prop_b", "prop_c", "prop_a"]);
      expect(await ids({ limit: 2 })).toEqual(["prop_b", "prop_c"]);
      expect(await ids({ project: "shop" })).toEqual(["prop_b", "prop_a"]);
      expect(await ids({ task: "task_b" })).toEqual(["prop_b"]);
      expect(await ids({ statuses: ["merged", "published"] })).toEqual(["prop_c", "prop_a"]);
      expect(await ids({ statuses: [] })).toEqual([]);
    });

    it("are found by the fingerprint of their change, and by the prefix of their own id or their task's", async () => {
      await current.store.ledger.saveProposals([
        makeProposal({ id: "prop_a1", task: "task_1a", patch: "p", at: 1 }),
        makeProposal({ id: "prop_a2", task: "task_1b", patch: "p", at: 2, status: "closed" }),
        makeProposal({ id: "prop_b1", task: "task_a", at: 3 }),
      ]);
      expect(await ids({ patch: "p" })).toEqual(["prop_a2", "prop_a1"]);
      expect(await ids({ patch: "p", statuses: ["closed", "merged"] })).toEqual(["prop_a2"]);
      expect(await ids({ prefix: "prop_a" })).toEqual(["prop_a2", "prop_a1"]);
      expect(await ids({ prefix: "a" })).toEqual(["prop_b1", "prop_a2", "prop_a1"]);
      expect(await ids({ prefix: "task_1" })).toEqual(["prop_a2", "prop_a1"]);
      for (const prefix of ["%", "_", "prop_a1x", "c"]) expect(await ids({ prefix })).toEqual([]);
    });

    it("are listed as unexplained until they have a reason or a person was asked for it", async () => {
      const reason = { kind: "too_big", text: "", by: "ada", at: 7 } as const;
      await current.store.ledger.saveProposals([
        makeProposal({ id: "prop_a", status: "closed", at: 3 }),
        makeProposal({ id: "prop_b", status: "closed", at: 2, askedAt: 6 }),
        makeProposal({ id: "prop_c", status: "closed", at: 1, reason }),
      ]);
      expect(await ids({ statuses: ["closed"], isUnexplained: true })).toEqual(["prop_a"]);
      expect(await ids({ statuses: ["closed"], isUnexplained: false })).toEqual(["prop_a", "prop_b", "prop_c"]);
    });

    it("are updated partially, and a missing one returns null", async () => {
      await current.store.ledger.saveProposals([bare, full]);
      const changed = { ...bare, status: "published", url: "u", number: 9, updatedAt: 5_000 } as const;
      const patch = { status: "published", url: "u", number: 9, updatedAt: 5_000 } as const;
      expect(await current.store.ledger.updateProposal(bare.id, patch)).toEqual(changed);
      expect(await list()).toEqual([changed, full]);
      expect(await current.store.ledger.updateProposal(full.id, { reason: null })).toEqual({ ...full, reason: null });
      expect(await current.store.ledger.updateProposal("prop_none", { status: "closed" })).toBeNull();
    });

    it("outlive their task", async () => {
      const task = sampleTask({ status: "succeeded" });
      await current.store.tasks.createTask(creating(task));
      await current.store.ledger.saveProposals([{ ...full, task: task.id }]);
      await current.store.tasks.deleteTask(task.id, sampleEvent());
      expect(await list({ task: task.id })).toHaveLength(1);
    });
  });

  describe("rules", () => {
    it("are saved with an event, replaced by id, and listed oldest first", async () => {
      const [one, other] = [makeRule({ id: "rule_1", at: 2 }), makeRule({ id: "rule_2", at: 1, project: "api" })];
      await current.store.ledger.saveRule(one, sampleEvent({ summary: "first" }));
      await current.store.ledger.saveRule(other, sampleEvent({ summary: "second" }));
      expect(await current.store.ledger.listRules({ project: null, at: 5 })).toEqual([other, one]);
      const changed = { ...one, text: "Other words", proposal: "prop_1", url: "u", expiresAt: 9 };
      await current.store.ledger.saveRule(changed, sampleEvent({ summary: "third" }));
      expect(await current.store.ledger.listRules({ project: "shop", at: 5 })).toEqual([changed]);
      expect(await events()).toEqual(["first", "second", "third"]);
    });

    it("are excluded once expired, unless requested", async () => {
      await current.store.ledger.saveRule(makeRule({ id: "rule_1", expiresAt: 10 }), sampleEvent());
      await current.store.ledger.saveRule(makeRule({ id: "rule_2", expiresAt: null }), sampleEvent());
      const at = async (moment: number | null) =>
        (await current.store.ledger.listRules({ project: "shop", at: moment })).map(({ id }) => id);
      expect(await at(9)).toEqual(["rule_1", "rule_2"]);
      expect(await at(10)).toEqual(["rule_2"]);
      expect(await at(null)).toEqual(["rule_1", "rule_2"]);
    });

    it("are removed once, and only then an event is written", async () => {
      await current.store.ledger.saveRule(makeRule({ id: "rule_1" }), sampleEvent({ summary: "saved" }));
      expect(await current.store.ledger.removeRule("rule_1", sampleEvent({ summary: "removed" }))).toBe(true);
      expect(await current.store.ledger.removeRule("rule_1", sampleEvent({ summary: "again" }))).toBe(false);
      expect(await current.store.ledger.listRules({ project: null, at: null })).toEqual([]);
      expect(await events()).toEqual(["saved", "removed"]);
    });
  });

  it("the ledger is the same after a restart", async (context) => {
    if (current.reopen === null) return context.skip();
    await current.store.ledger.saveProposals([makeProposal()]);
    await current.store.ledger.saveRule(makeRule(), sampleEvent());
    const store = await current.reopen();
    expect(await store.ledger.listProposals(ALL)).toEqual([makeProposal()]);
    expect(await store.ledger.listRules({ project: null, at: null })).toEqual([makeRule()]);
  });
}
