import { describe, expect, it } from "vitest";
import { makeOutcome } from "../../../testing/builders.ts";
import { builtIn, NO_FACTS, parsed, runIdAt, start, walk } from "../../../testing/walk.ts";
import type { Advance } from "./advance.ts";

const chore = builtIn("chore");
const bug = builtIn("bug");

const question = { id: "db", question: "Which database?", input: "text" };
const needsInfo = makeOutcome("needs_info", { summary: "Which database?", payload: { questions: [question] } });
const answered = makeOutcome("answered", { summary: "db: sqlite", payload: { db: "sqlite" } });
const options = ["small", "big"].map((id) => ({ id, title: id, description: `the ${id} way` }));
const proposed = makeOutcome("options_proposed", { summary: "two ways", payload: { options } });

function chosen(option: string) {
  return makeOutcome("chosen", { summary: `chose ${option}`, payload: { option } });
}

function optionsOf({ task: { waitingFor } }: Advance): readonly string[] {
  return waitingFor?.kind === "choice" ? waitingFor.options.map(({ id }) => id) : [];
}

describe("advance: questions", () => {
  it("make the task wait for a person's answers", () => {
    const now = walk(chore, start(chore), [needsInfo]);
    expect(now.next).toBeNull();
    expect(now.task).toMatchObject({
      state: "implementing",
      status: "waiting",
      waitingFor: { kind: "answers", questions: [question] },
    });
    expect(now.task.conversation).toMatchObject([
      { kind: "answers", state: "implementing", asked: [question], reply: null, by: null },
    ]);
  });

  it("return to the role that asked, even if an edge set that role", () => {
    const outcomes = ["implemented", "checks_passed", "published", "changes_requested"] as const;
    const facts = { ...NO_FACTS, forge: true };
    const waiting = walk(chore, start(chore), [...outcomes.map((name) => makeOutcome(name)), needsInfo], { facts });
    expect(waiting.task.waitingFor).toMatchObject({ kind: "answers" });
    expect(walk(chore, waiting, [answered], { facts }).next).toMatchObject({ role: "request_changes" });
  });

  it("return to the same state with the reply, for the run that asked", () => {
    const first = start(chore);
    const now = walk(chore, first, [needsInfo, answered]);
    expect(now.next).toMatchObject({ state: "implementing", role: "implement", attempt: 2 });
    expect(now.next?.trigger).toEqual({ kind: "answers", text: "db: sqlite", run: runIdAt(first.task) });
    expect(now.task.conversation).toMatchObject([{ reply: { db: "sqlite" }, by: "ada", at: now.task.updatedAt }]);
    expect(now.task).toMatchObject({ status: "queued", waitingFor: null });
  });

  it("do not reset the used attempts of a step", () => {
    const now = walk(chore, start(chore), [makeOutcome("timeout"), needsInfo, answered, makeOutcome("timeout")]);
    expect(now.task).toMatchObject({ status: "failed", reason: "timeout (tried 2 times)" });
  });

  it("keep every exchange", () => {
    const now = walk(chore, start(chore), [
      needsInfo,
      answered,
      needsInfo,
      makeOutcome("answered", { payload: { db: "none" } }),
    ]);
    expect(now.task.conversation.map(({ reply }) => reply)).toEqual([{ db: "sqlite" }, { db: "none" }]);
  });
});

describe("advance: options of an agent", () => {
  it("return to the same state with the choice", () => {
    const waiting = walk(chore, start(chore), [proposed]);
    expect(waiting.task.waitingFor).toMatchObject({ kind: "choice", reason: "two ways" });
    expect(optionsOf(waiting)).toEqual(["small", "big"]);
    const now = walk(chore, waiting, [chosen("big")]);
    expect(now.next).toMatchObject({ state: "implementing", trigger: { kind: "choice", text: "chose big" } });
    expect(now.task.conversation).toMatchObject([{ kind: "choice", reply: { option: "big" }, by: "ada" }]);
  });

  it("are not confused with states of the same name", () => {
    const payload = { options: [{ id: "failed", title: "Let it fail", description: "and see" }] };
    const now = walk(chore, start(chore), [makeOutcome("options_proposed", { payload }), chosen("failed")]);
    expect(now.next).toMatchObject({ state: "implementing", trigger: { kind: "choice" } });
  });
});

describe("advance: choice of a state by a person", () => {
  it("offers to repeat the step, to fail and to cancel", () => {
    const now = walk(chore, start(chore), [makeOutcome("refused", { summary: "I cannot do that" })]);
    expect(now.task.waitingFor).toMatchObject({ kind: "choice", reason: "I cannot do that" });
    expect(optionsOf(now)).toEqual(["implementing", "failed", "cancelled"]);
    expect(now.task.conversation).toEqual([]);
  });

  it("goes to the chosen state with its attempts reset", () => {
    const refused = walk(chore, start(chore), [makeOutcome("timeout"), makeOutcome("refused")]);
    const again = walk(chore, refused, [chosen("implementing")]);
    expect(again.next).toMatchObject({ state: "implementing", trigger: { kind: "retry", run: null } });
    expect(again.task.counters).toEqual({ "ran:implement": 2 });
    expect(walk(chore, refused, [chosen("cancelled")]).task).toMatchObject({
      status: "cancelled",
      reason: "chose cancelled",
    });
  });

  it("is requested if several edges apply", () => {
    const direct = makeOutcome("chosen", { payload: { option: "fix", then: "implement" } });
    const implementing = walk(bug, start(bug), [makeOutcome("investigation_complete"), direct]);
    const now = walk(bug, implementing, [makeOutcome("no_changes")]);
    expect(optionsOf(now)).toEqual(["implementing", "planning", "failed", "cancelled"]);
    expect(walk(bug, now, [chosen("planning")]).next).toMatchObject({ state: "planning", role: "plan" });
  });

  it("is requested if no edge applies", () => {
    const text = `
name: narrow
start: one
states:
  one: { agent: describe, on: { described: { to: done, when: forge } } }
  done: { end: succeeded }
  failed: { end: failed }
  cancelled: { end: cancelled }
`;
    const narrow = parsed(text, "narrow");
    const now = walk(narrow, start(narrow), [makeOutcome("described")]);
    expect(now.task.waitingFor).toMatchObject({ kind: "choice", reason: 'described (no edge from "one" applies)' });
    expect(optionsOf(now)).toEqual(["done", "one", "failed", "cancelled"]);
    expect(walk(narrow, now, [chosen("done")]).task.status).toBe("succeeded");
  });

  it("stays in the state if the choice names no option", () => {
    const now = walk(chore, start(chore), [makeOutcome("refused"), chosen("constructor")]);
    expect(now.next).toMatchObject({ state: "implementing", role: "implement" });
  });
});

describe("advance: waiting state", () => {
  it("after an investigation offers the fixes that the agent proposed", () => {
    const waiting = walk(bug, start(bug), [makeOutcome("investigation_complete", { payload: { options } })]);
    expect(optionsOf(waiting)).toEqual(["small", "big"]);
    const now = walk(bug, waiting, [chosen("big")]);
    expect(now.next).toMatchObject({ state: "planning", role: "plan", trigger: { kind: "choice", text: "chose big" } });
    expect(now.task.conversation).toMatchObject([{ kind: "choice", reply: { option: "big" }, by: "ada" }]);
  });

  it("after an investigation without options offers its fix", () => {
    const waiting = walk(bug, start(bug), [makeOutcome("investigation_complete")]);
    expect(optionsOf(waiting)).toEqual(["fix"]);
    expect(walk(bug, waiting, [chosen("fix")]).next).toMatchObject({ state: "planning" });
  });

  it("after an investigation skips the plan if the person says so", () => {
    const waiting = walk(bug, start(bug), [makeOutcome("investigation_complete", { payload: { options } })]);
    const implement = makeOutcome("chosen", { summary: "chose big", payload: { option: "big", then: "implement" } });
    expect(walk(bug, waiting, [implement]).next).toMatchObject({ state: "implementing", role: "implement" });
  });

  it("with several targets lets a person choose among them, once", () => {
    const text = `
name: forked
start: gate
states:
  gate: { wait: approval, on: { approve: [left, right], reject: cancelled, revise: left } }
  left: { agent: describe, on: { described: done } }
  right: { agent: describe, on: { described: done } }
  done: { end: succeeded }
  failed: { end: failed }
  cancelled: { end: cancelled }
`;
    const forked = parsed(text, "forked");
    const waiting = walk(forked, start(forked), [makeOutcome("approve")]);
    expect(optionsOf(waiting)).toEqual(["left", "right", "gate", "failed", "cancelled"]);
    expect(walk(forked, waiting, [chosen("right")]).next).toMatchObject({ state: "right" });
    expect(walk(forked, waiting, [chosen("gate")]).task.waitingFor).toMatchObject({ kind: "approval" });
  });

  it("has the plan's hash and passes feedback to the revising role", () => {
    const staged = builtIn("staged");
    const planned = walk(staged, start(staged), [makeOutcome("plan_complete", { payload: { prompt: "p" } })]);
    expect(planned.task).toMatchObject({
      plan: { prompt: "p" },
      waitingFor: { kind: "approval", planHash: 'hash:{"prompt":"p"}' },
    });
    const revising = walk(staged, planned, [makeOutcome("revise", { summary: "smaller" })]);
    expect(revising.next).toMatchObject({
      state: "planning",
      role: "plan_revision",
      trigger: { kind: "comments", text: "smaller" },
    });
    const revised = walk(staged, revising, [makeOutcome("plan_complete", { payload: { prompt: "q" } })]);
    expect(revised.task.context.map(({ kind }) => kind)).toEqual(["plan_summary", "feedback", "plan_revision_summary"]);
    expect(revised.task.documents).toMatchObject([
      { kind: "plan", version: 1, hash: 'hash:{"prompt":"p"}' },
      { kind: "plan", version: 2, hash: 'hash:{"prompt":"q"}' },
    ]);
    expect(revised.document).toMatchObject({ kind: "plan", version: 2, content: { prompt: "q" } });
    expect(walk(staged, revised, [makeOutcome("approve")]).next).toMatchObject({
      state: "running",
      role: "execute",
      trigger: null,
    });
  });
});
