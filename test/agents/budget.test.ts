import { describe, expect, test } from "vitest";
import type { Run } from "../../src/core/task/run.ts";
import type { Task } from "../../src/core/task/task.ts";
import { ALICE } from "../support/night.ts";
import { openAgentNight, type AgentNight } from "./agent-night.ts";
import { REAL_AGENTS, useTools } from "./real-agents.ts";

const { claude, codex, gemini, opencode } = REAL_AGENTS;
const REPORT = { outcome: "implemented", summary: "It greets the world." };

/** Tokens that cost about 0.90 USD. */
const TOKENS_FOR_90_CENTS = [
  [claude, 300_000],
  [codex, 720_000],
] as const;

describe.each(TOKENS_FOR_90_CENTS)("$kind: budget in USD", (agent, tokens) => {
  test("the request that could exceed the limit is refused, and a person can let the run continue from its work", async () => {
    const night = await openAgentNight(agent, {
      settings: "roles: { implement: { max_budget_usd: 1 } }\n",
      turns: [
        { ...useTools(agent.create("made.txt", "hello, world")), usage: { input_tokens: tokens } },
        useTools(agent.report(REPORT)),
        { text: "Done." },
      ],
    });
    const { task, run } = await runUntilBudgetExhausted(night);
    expect(run.costUsd).toBeGreaterThan(0.9);
    expect(run.costUsd).toBeLessThanOrEqual(1);
    expect(await transcriptText(night, run)).toMatch(/does not allow another request: 0\.90 of 1\.00 USD are spent/);

    await night.commands.choose(task.id, { option: "implementing" }, ALICE);
    const ended = await night.settled(task.id);
    expect(ended, ended.reason ?? "").toMatchObject({ status: "succeeded", outcome: "published" });
    expect(await night.published(ended, "made.txt")).toBe("hello, world");
  });
});

describe.each([claude, codex, gemini, opencode])("$kind: budget in tokens", (agent) => {
  test("the response that exceeds the limit is cut off, and the work is kept", async () => {
    const night = await openAgentNight(agent, {
      settings: "budget: { run_tokens: 200000 }\n",
      turns: [
        useTools(agent.create("made.txt", "hello, world")),
        { text: "This answer is dear.", usage: { input_tokens: 500_000 } },
        useTools(agent.report(REPORT)),
      ],
    });
    const { run } = await runUntilBudgetExhausted(night);
    expect(run.tokens.input).toBeGreaterThan(500_000);
    expect(await transcriptText(night, run)).toMatch(
      /budget of this run is used up, and a response was cut off: 50\d+ of 200000/,
    );
    expect(night.model.requests.filter(({ turn }) => turn !== null)).toHaveLength(2);
  });
});

/** Waits until a person is asked, with the work so far stored in the task. */
async function runUntilBudgetExhausted(night: AgentNight): Promise<{ task: Task; run: Run }> {
  const task = await night.settled((await night.submit()).id);
  const [run, ...others] = await night.runs(task.id);
  if (run === undefined) throw new Error("expected a run");
  expect(run, run.error ?? "").toMatchObject({ outcome: "budget_exhausted", endedBy: "budget", costBasis: "metered" });
  expect(others).toEqual([]);
  expect(task).toMatchObject({ status: "waiting", state: "implementing", waitingFor: { kind: "choice" } });
  expect(run.commit).toMatch(/^[0-9a-f]{40}$/);
  expect(task.headCommit).toBe(run.commit);
  expect(night.notices.join("\n")).toContain(task.id);
  return { task, run };
}

async function transcriptText(night: AgentNight, run: Run): Promise<string> {
  return (await night.lines(run)).map(({ text }) => text).join("\n");
}
