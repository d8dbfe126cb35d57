import { expect, it } from "vitest";
import { TASK_STATUSES, type TaskStatus } from "../task/task.ts";
import { possibleActions } from "./possible-actions.ts";
import { type MovableTask, moveToState, moveToStatus, type MoveTarget } from "./task-moves.ts";

const task = (status: TaskStatus, facts: Partial<MovableTask> = {}): MovableTask => ({
  status,
  state: status,
  hasChange: false,
  hasDocument: false,
  ...facts,
});
const target = (name: string, rest: Partial<MoveTarget> = {}): MoveTarget => ({
  name,
  kind: "agent",
  role: "implement",
  end: null,
  isStart: false,
  ...rest,
});

const MOVES = TASK_STATUSES.flatMap((from) =>
  TASK_STATUSES.map((to) => ({ from, to, move: moveToStatus(task(from), to) })),
);

it("a move by status is only offered if the engine allows its action", () => {
  const offered = MOVES.flatMap(({ from, move }) => (move?.kind === "action" ? [{ from, action: move.action }] : []));
  expect(offered.length).toBeGreaterThan(5);
  expect(offered.filter(({ from, action }) => !possibleActions(from).includes(action))).toEqual([]);
});

it("only a move to the own column is no move", () => {
  expect(MOVES.filter(({ from, to, move }) => (move === null) !== (from === to))).toEqual([]);
});

it("every move that is refused has a sentence as its reason", () => {
  const reasons = MOVES.flatMap(({ move }) => (move?.kind === "refused" ? [move.reason] : []));
  expect(reasons.filter((reason) => !/^[A-Z].*\.$/.test(reason))).toEqual([]);
});

it("a failed task can be retried, and a paused one resumed", () => {
  expect(moveToStatus(task("failed"), "queued")).toMatchObject({ action: "retry" });
  expect(moveToStatus(task("paused"), "running")).toMatchObject({ action: "resume" });
  expect(moveToStatus(task("queued", { isParked: true }), "running")).toMatchObject({ action: "retry" });
  expect(moveToStatus(task("queued"), "running")).toMatchObject({ kind: "refused" });
});

it("a task that waits says which decision moves it", () => {
  expect(moveToStatus(task("waiting", { waitsFor: "merge" }), "succeeded")).toEqual({
    kind: "refused",
    reason: "It is done when its change is merged.",
  });
  expect(moveToState(task("waiting", { waitsFor: "answers" }), target("checking"))).toEqual({
    kind: "refused",
    reason: "It continues when you answer its questions.",
  });
});

it("a failed task can be retried from a state where an agent works, and from checks only with a change", () => {
  expect(moveToState(task("failed"), target("implementing"))).toEqual({
    kind: "action",
    action: "retry",
    from: "implementing",
    effect: "Retry from implementing",
  });
  expect(moveToState(task("failed"), target("checking", { kind: "checks" }))).toMatchObject({ kind: "refused" });
  expect(moveToState(task("failed"), target("reviewing", { role: "review" }))).toMatchObject({ kind: "refused" });
  expect(moveToState(task("failed", { hasChange: true }), target("checking", { kind: "checks" }))).toMatchObject({
    action: "retry",
    from: "checking",
  });
});

it("a state that waits for a person needs something to decide about", () => {
  const review = target("plan_review", { kind: "wait" });
  expect(moveToState(task("failed"), review)).toMatchObject({ kind: "refused" });
  expect(moveToState(task("failed", { hasDocument: true }), review)).toMatchObject({ action: "retry" });
});

it("a nightly improvement can only start again", () => {
  const night = task("failed", { isNight: true, hasChange: true });
  expect(moveToState(night, target("reviewing"))).toMatchObject({ kind: "refused" });
  expect(moveToState(night, target("analyzing", { isStart: true }))).toMatchObject({ action: "retry" });
});

it("of the ends, a person can only reach the one that cancels", () => {
  const running = task("running", { state: "implementing" });
  expect(moveToState(running, target("cancelled", { kind: "end", end: "cancelled" }))).toMatchObject({
    action: "cancel",
  });
  for (const end of ["succeeded", "failed"] as const)
    expect(moveToState(running, target(end, { kind: "end", end }))).toMatchObject({ kind: "refused" });
});

it("a task is not moved to the column it is in", () => {
  expect(moveToState(task("failed", { state: "failed" }), target("failed", { kind: "end", end: "failed" }))).toBeNull();
});
