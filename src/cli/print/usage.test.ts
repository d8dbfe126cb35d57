import { expect, it } from "vitest";
import type { RunJson, TaskJson } from "../../http/client/client.ts";
import { usageTable } from "./usage.ts";

const NO_TOKENS = { input: 0, output: 0, cache_read: 0, cache_write: 0 };

/** Only the fields that the table reads. */
function taskOf(runs: readonly Partial<RunJson>[], totals: Partial<TaskJson>): TaskJson {
  const base = {
    id: "run_1",
    short_id: "run_1",
    step: "agent",
    role: "plan",
    agent: "mine",
    model: null,
    duration_ms: 1000,
  };
  const times = { started_at: "2026-11-15T00:00:00.000Z", finished_at: "2026-11-15T00:00:01.000Z" };
  return { agent_ms: 2000, runs: runs.map((run) => ({ ...base, ...times, ...run })), ...totals } as unknown as TaskJson;
}

const lastLine = (text: string): string => text.trimEnd().split("\n").at(-1) ?? "";
const UNKNOWN = { cost_basis: "unknown", cost_usd: null, tokens: NO_TOKENS } as const;

it("usage: the sum of unknown values is unknown, and not zero", () => {
  const task = taskOf([UNKNOWN, UNKNOWN], { tokens: NO_TOKENS, cost_usd: 0, unknown_cost: 2 });
  expect(lastLine(usageTable({ color: false }, task))).toMatch(/^\s*all .* unknown +unknown +unknown\s*$/);
  const known = { cost_basis: "reported", cost_usd: 1, tokens: { ...NO_TOKENS, input: 5 } } as const;
  const partly = taskOf([UNKNOWN, known], { tokens: known.tokens, cost_usd: 1, unknown_cost: 1 });
  expect(lastLine(usageTable({ color: false }, partly))).toMatch(/ 5 +0 +0 +0 +\$1\.00 and 1 unknown/);
});
