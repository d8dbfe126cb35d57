import type { Role } from "../../../../src/core/task/role.ts";
import { formatDuration, formatMoney, plural } from "../../ui/format.ts";
import type { PreviewStep } from "./form.ts";

const ROLE_WORDS: Readonly<Record<Role, string>> = {
  analyze: "looks for an improvement",
  plan: "plans, and changes nothing",
  plan_revision: "plans again",
  design: "designs, and changes nothing",
  investigate: "finds the cause",
  implement: "writes the change, in a workspace",
  request_changes: "makes the requested changes",
  execute: "carries out exactly the approved plan",
  review: "reviews the change",
  verify: "verifies the change",
  describe: "describes the change",
  rank: "chooses the best variant",
  publish: "publishes the change",
};

const WAIT_WORDS: Readonly<Record<NonNullable<PreviewStep["waits_for"]>, string>> = {
  approval: "you approve, or ask for changes",
  answers: "you answer questions",
  choice: "you choose how to go on",
  review: "you approve the review",
  merge: "you merge, or ask for changes",
};

/** What happens in a step, in one line. */
export function describeStep(step: PreviewStep, forge: string | null): string {
  const words = [describeKind(step, forge), ...step.limits.map(describeLimit)].join("; ");
  return step.is_last ? `${words}; the task stops here` : words;
}

function describeKind(
  { kind, role, waits_for: waitsFor, agents, checks, ...step }: PreviewStep,
  forge: string | null,
): string {
  switch (kind) {
    case "agent": {
      const who = agents.map(({ agent, model }) => (model === null ? agent : `${agent} (${model})`)).join(", ");
      const does = role === null ? "works" : ROLE_WORDS[role];
      const limits = [
        ...(step.timeout_ms === null ? [] : [formatDuration(step.timeout_ms)]),
        ...(step.max_usd === null ? [] : [formatMoney(step.max_usd)]),
        ...(step.max_turns === null ? [] : [plural(step.max_turns, "turn")]),
      ];
      const each = agents.length > 1 ? "each " : "";
      return `${who === "" ? "an agent" : who} ${does}${limits.length === 0 ? "" : `, ${each}at most ${limits.join(", ")}`}`;
    }
    case "checks":
      return checks.length === 0 ? "no checks are configured" : checks.join(", ");
    case "publish":
      return forge === null ? "the branch is pushed" : `change request at ${hostOf(forge)}`;
    case "post":
      return "the review is posted on the change request";
    case "wait":
      return waitsFor === null ? "you decide" : WAIT_WORDS[waitsFor];
    case "end":
      return "done";
  }
}

function describeLimit({ name, max }: PreviewStep["limits"][number]): string {
  return name === "repair" ? `up to ${plural(max, "repair")}` : `up to ${plural(max, "round")}`;
}

function hostOf(forge: string): string {
  return URL.canParse(forge) ? new URL(forge).host : forge;
}
