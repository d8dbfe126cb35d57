import { afterEach, expect, it } from "vitest";
import { ADA, openEngineWorld, type EngineWorld } from "../../../testing/engine/engine-world.ts";
import type { ScriptedEnd } from "../../../testing/engine/scripted-supervisors.ts";

let world: EngineWorld;
afterEach(() => world.close());

const FAILED: ScriptedEnd = { exitCode: 9, output: "no such package" };

/** `setups`: how the set-ups of the task end, in order. The first check fails, so that an agent repairs its own change. */
async function play(...setups: readonly ScriptedEnd[]) {
  world = await openEngineWorld({
    settings: "workspace: { setup: make deps }\nchecks:\n  test: { command: npm test }\n",
    script: ({ name, run }) => {
      if (name === "setup") return setups[run] ?? {};
      if (name !== "agent") return { exitCode: run === 0 ? 1 : 0 };
      return { files: { "greeting.txt": `hello ${run}\n` }, report: { outcome: "implemented", summary: "ok" } };
    },
  });
  const { id } = await world.submit();
  const task = await world.drain(id);
  return { id, outcome: task.outcome, reason: task.reason ?? "" };
}

it("a set-up that fails before the first agent fails on the base commit and is no attempt", async () => {
  const { id, outcome, reason } = await play(FAILED);
  expect(outcome).toBe("setup_failed");
  expect(reason).toMatch(/set-up fails on the base commit [0-9a-f]{7}, so no agent is the cause.*no such package/s);
  await world.commands.retry(id, null, ADA);
  await world.step(id);
  const runs = await world.runs(id);
  expect(runs.slice(0, 2).map(({ outcome: each, attempt }) => [each, attempt])).toEqual([
    ["setup_failed", 1],
    ["implemented", 1],
  ]);
});

it("a set-up that fails after a change is repeated on the base commit", async () => {
  // The agent, its checks, the base commit for the failed check, the repairing agent, and the base commit again.
  const both = await play({}, {}, {}, FAILED, FAILED);
  expect([both.outcome, both.reason]).toEqual(["setup_failed", expect.stringContaining("fails on the base commit")]);
  await world.close();
  const onlyChange = await play({}, {}, {}, FAILED, {});
  expect([onlyChange.outcome, onlyChange.reason]).toEqual(["setup_failed", expect.stringContaining("no such package")]);
  expect(onlyChange.reason).not.toContain("base commit");
});
