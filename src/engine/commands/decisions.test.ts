import { afterEach, describe, expect, it } from "vitest";
import { readDecision } from "../../core/task/decision.ts";
import { ADA, openEngineWorld, type EngineWorld } from "../../testing/engine/engine-world.ts";
import { answerOverdue } from "../reconcile/answer-overdue.ts";

let world: EngineWorld;
afterEach(() => world.close());

const PLAN = { outcome: "plan_complete", plan: "p", plan_summary: "s", subtasks: [], files: ["greeting.txt"] };
const QUESTION = { id: "db", question: "Which?", input: "choice", options: ["pg", "lite"], default: "pg" };

async function listDecisions(): Promise<readonly object[]> {
  const { rows } = await world.ports.store.events.listDecisions({ task: null, cursor: null, limit: 10 });
  return rows.map((event) => ({ ...readDecision(event), by: event.actor.name }));
}

describe("the log of decisions", () => {
  it("has who approved which plan, and how, after they had asked for changes to another one", async () => {
    world = await openEngineWorld({ script: ({ name }) => (name === "agent" ? { report: PLAN } : {}) });
    const submitted = await world.submit({ pipeline: "feature" });
    const first = await world.drain(submitted.id);
    await world.commands.revise(first.id, "Smaller.", { ...ADA, via: "cli" });
    const second = await world.drain(first.id);
    await world.commands.approve(second.id, second.planHash, { ...ADA, via: "page" });
    expect(await listDecisions()).toEqual([
      { kind: "approved", summary: "approved by ada", planHash: second.planHash, via: "page", by: "ada" },
      { kind: "revised", summary: "Smaller.", planHash: first.planHash, via: "cli", by: "ada" },
    ]);
  });

  it("has answers that were assumed at a deadline as decisions of the system", async () => {
    const asked = {
      outcome: "needs_info",
      summary: "A question.",
      questions: [{ ...QUESTION, deadline: "2020-01-01T00:00:00Z" }],
    };
    world = await openEngineWorld({ script: ({ run }) => (run === 0 ? { report: asked } : {}) });
    const task = await world.drain((await world.submit({ pipeline: "chore" })).id);
    await answerOverdue(world.ports);
    await world.commands.cancel(task.id, ADA);
    expect(await listDecisions()).toMatchObject([
      { kind: "cancelled", by: "ada", via: null },
      { kind: "assumed", by: "nightshift", summary: "db: pg", planHash: null },
    ]);
  });
});
