import { AGENT_OUTCOMES, entryOf, OUTCOMES, PEOPLE_OUTCOMES, type OutcomeName } from "../src/core/outcomes/outcome.ts";
import type { DefaultEdge } from "../src/core/outcomes/outcome-entry.ts";
import { STATE_ROLES } from "../src/core/task/role.ts";

/** The table of outcomes for docs/pipelines.md. */
export function outcomeTable(): string {
  const head = ["outcome", "class", "reported by", "without a target under `on`", "notes"];
  const rows = OUTCOMES.map((name) => {
    const { class: kind, countsAsAttempt, discardsWork } = entryOf(name);
    const notes = [countsAsAttempt ? [] : "no attempt", discardsWork ? "work discarded" : []].flat().join(", ");
    return [code(name), kind, describeReporter(name), describeEdges(name), notes];
  });
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}

function describeReporter(name: OutcomeName): string {
  const { from } = entryOf(name);
  const waits = from.wait === "any" ? ["wait"] : (from.wait ?? []).map((kind) => `wait: ${kind}`);
  if (AGENT_OUTCOMES.some((each) => each === name)) {
    const roles = from.agent === "any" ? "every role" : (from.agent ?? []).map(code).join(", ");
    return waits.length === 0 ? roles : `${roles}, a person (${waits.map(code).join(", ")})`;
  }
  const agents =
    from.agent === undefined || from.agent === "any" ? ["agent"] : from.agent.map((role) => `agent: ${role}`);
  const steps = [
    ...(from.agent === undefined ? [] : agents),
    ...(from.checks === true ? ["checks"] : []),
    ...(from.publish === true ? ["publish"] : []),
    ...(from.post === true ? ["post"] : []),
    ...waits,
  ];
  const who = PEOPLE_OUTCOMES.some((each) => each === name) ? "a person" : "the engine";
  return steps.length === 0 ? who : `${who} (${steps.map(code).join(", ")})`;
}

function describeEdges(name: OutcomeName): string {
  const { edge, edgeIn, edgeInWait, from } = entryOf(name);
  const agents = from.agent === "any" ? STATE_ROLES : (from.agent ?? []);
  const isInPipelines =
    STATE_ROLES.some((role) => agents.includes(role)) || from.checks || from.publish || from.post || from.wait;
  const usual = edge === null ? (isInPipelines ? "needs a target" : "–") : describeEdge(edge);
  const special = Object.entries(edgeIn).map(([step, given]) => `; in ${code(step)}: ${describeEdge(given)}`);
  const waits = Object.entries(edgeInWait).map(
    ([kind, given]) => `; in ${code(`wait: ${kind}`)}: ${describeEdge(given)}`,
  );
  return [usual, ...special, ...waits].join("");
}

function describeEdge(edge: DefaultEdge): string {
  switch (edge.do) {
    case "park":
      return `waits (${edge.queue}), then runs again`;
    case "again":
      return `runs again ${edge.max === 1 ? "once" : `up to ${edge.max} times`}, then ${edge.then === "fail" ? "the task fails" : "a person chooses"}`;
    case "ask":
      return `asks a person for ${edge.what === "answers" ? "answers" : "a choice"}, then comes back`;
    case "decide":
      return "a person decides: publish, repair or reject";
    case "branch":
      return "a person decides: take over, restore or reject";
    case "person":
      return "a person chooses";
    case "fail":
      return "the task fails";
    case "cancel":
      return "the task is cancelled";
  }
}

function code(text: string): string {
  return `\`${text}\``;
}
