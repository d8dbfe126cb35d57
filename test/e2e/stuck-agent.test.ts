import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { openNight, type Night } from "../support/night.ts";

vi.setConfig({ testTimeout: 120_000 });

let night: Night | null = null;
afterEach(async () => {
  await night?.close();
  night = null;
});

/** Repeats one tool call until it is ended. */
const LOOP = `
while :; do
  echo '{"type":"tool_call","id":"a","name":"Bash","input":{"command":"npm test"}}'
  echo '{"type":"tool_result","id":"a","output":"1 failed"}'
  sleep 0.2
done
`;
const OPTIONS = { settings: "roles: { implement: { repeat_limit: 5 } }\n", timeoutMs: 90_000 };

test("stuck agent: it is nudged with what was observed, and the task succeeds if it then finishes", async () => {
  night = await openNight({
    ...OPTIONS,
    agent: `if [ "$N" = 1 ]; then ${LOOP}\nfi\necho "hello, world" > greeting.txt; done_with ok`,
  });
  const task = await night.settled((await night.submit()).id);
  expect(task.status).toBe("succeeded");
  const [first, second] = await night.runs(task.id);
  expect(first).toMatchObject({ status: "timeout", outcome: "timeout", endedBy: "stuck" });
  expect(first?.error).toMatch(/^It made the same tool call \d+ times with the same result/);
  const prompt = readFileSync(join(night.home, "runs", second?.id ?? "", "prompt.md"), "utf8");
  expect(prompt).toContain("The run was stopped because it seemed to be stuck. It made the same tool call");
});

test("stuck agent: after the nudge, it fails the task with what was observed", async () => {
  night = await openNight({ ...OPTIONS, agent: LOOP });
  const task = await night.settled((await night.submit()).id);
  expect(task).toMatchObject({ status: "failed", outcome: "timeout" });
  expect(task.reason).toMatch(/^It made the same tool call .* \(tried 2 times\)$/);
  expect((await night.runs(task.id)).map(({ endedBy }) => endedBy)).toEqual(["stuck", "stuck"]);
});

test("stuck agent: a daemon that was restarted meanwhile still finds the loop", async () => {
  night = await openNight({ ...OPTIONS, agent: `sleep 4\n${LOOP}` });
  const { id } = await night.submit();
  await night.until(id, ({ status }) => status === "running");
  await night.restart();
  const task = await night.settled(id);
  expect(task).toMatchObject({ status: "failed", outcome: "timeout" });
});
