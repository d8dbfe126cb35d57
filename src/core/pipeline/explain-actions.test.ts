import { expect, it } from "vitest";
import { TASK_STATUSES } from "../task/task.ts";
import { explainActions, PERSON_ACTIONS } from "./explain-actions.ts";
import { possibleActions } from "./possible-actions.ts";
import { WAIT_KINDS } from "./pipeline.ts";

it("every action that the engine allows is offered, and every other has a reason", () => {
  for (const status of TASK_STATUSES)
    for (const waitsFor of [null, ...WAIT_KINDS]) {
      const actions = explainActions(status, { waitsFor });
      const allowed = actions.flatMap(({ name, refusal }) => (refusal === null ? [name] : []));
      expect(allowed.toSorted()).toEqual([...possibleActions(status, { waitsFor })].toSorted());
      expect(actions.map(({ name }) => name).toSorted()).toEqual([...PERSON_ACTIONS].toSorted());
    }
});

it("actions that are not possible come last and say why", () => {
  const actions = explainActions("running");
  expect(actions.slice(0, 3)).toEqual([
    { name: "pause", refusal: null },
    { name: "cancel", refusal: null },
    { name: "kill", refusal: null },
  ]);
  expect(actions.find(({ name }) => name === "retry")).toEqual({ name: "retry", refusal: "it is running" });
});

it("a nightly improvement cannot be continued", () => {
  const followUp = explainActions("failed", { isNight: true }).find(({ name }) => name === "follow-up");
  expect(followUp?.refusal).toBe("a nightly improvement chooses its own work");
});
