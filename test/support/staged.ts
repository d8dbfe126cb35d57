import { expect } from "vitest";
import type { Task } from "../../src/core/task/task.ts";
import { ALICE, openNight, type Night, type NightOptions } from "./night.ts";

export const PLAN = {
  outcome: "plan_complete",
  summary: "Write a report.",
  prompt: "Write reports/parsers.md.",
  system_prompt: "",
  tools: ["Write", "Bash"],
  directories: ["reports"],
  network: [],
  needs_git: false,
  estimate: { tokens: 1000, minutes: 1, usd: 0.1 },
  reasoning: "One file.",
};

export interface StagedOptions extends NightOptions {
  /** What the planner reports, one after the other. */
  readonly plans: readonly object[];
  /** The executor as a shell script. */
  readonly execute?: string;
}

/** The agent plans and executes. Each run of the planner reports the next plan. */
export async function openStaged({ plans, execute, ...options }: StagedOptions): Promise<Night> {
  const cases = plans.map((plan, index) => `${index + 1}) cat > "$OUT" <<'END'\n${JSON.stringify(plan)}\nEND\n;;`);
  const agent = `case $NIGHTSHIFT_ROLE in
plan*) case $N in ${cases.join("\n")} esac ;;
execute) ${execute ?? "true"}
printf '{"outcome":"completed","summary":"done","result":"B is the fastest."}' > "$OUT" ;;
esac`;
  return openNight({ userSettings: "sandbox: { mode: enforce }\n", agent, ...options });
}

/** Submits a staged task, approves its plan and waits for the end. */
export async function runApproved({ submit, settled, commands }: Night): Promise<Task> {
  const waiting = await settled((await submit({ pipeline: "staged" })).id);
  expect(waiting).toMatchObject({ state: "staged", waitingFor: { kind: "approval" } });
  await commands.approve(waiting.id, waiting.planHash, ALICE);
  return settled(waiting.id);
}
