import { expect, test } from "vitest";
import { openAgentNight } from "./agent-night.ts";
import { REAL_AGENTS, useTools } from "./real-agents.ts";

const { claude } = REAL_AGENTS;
const SETTINGS = "roles: { implement: { repeat_limit: 5 } }\n";
const same = useTools(claude.shell("echo the same"));

test("claude that repeats a tool call is nudged once in the same session, and then stopped with the reason", async () => {
  const night = await openAgentNight(claude, { turns: Array.from({ length: 400 }, () => same), settings: SETTINGS });
  const task = await night.settled((await night.submit()).id);
  expect(task).toMatchObject({ status: "failed", outcome: "timeout" });
  expect(task.reason).toMatch(/^It made the same tool call .*echo the same/);
  const runs = await night.runs(task.id);
  expect(runs.map(({ endedBy }) => endedBy)).toEqual(["stuck", "stuck"]);
  expect(runs[0]?.sessionId).not.toBeNull();
  expect(runs[1]?.sessionId).toBe(runs[0]?.sessionId);
  const requests = night.model.requests.map(({ body }) => JSON.stringify(body));
  expect(requests.at(-1)).toContain("The run was stopped because it seemed to be stuck.");
  // The session goes on: the nudge comes after the calls of the first run.
  expect(requests.at(-1)).toContain("the same");
});
