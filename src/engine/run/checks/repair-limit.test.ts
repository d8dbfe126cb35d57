import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openEngineWorld, type EngineWorld } from "../../../testing/engine/engine-world.ts";

let world: EngineWorld;
afterEach(() => world.close());

/** Plays a chore whose check fails on every change, and passes on the base commit. */
async function play(settings: string) {
  world = await openEngineWorld({
    settings,
    script: ({ name, run, cwd }) => {
      if (name !== "agent") return existsSync(join(cwd, "work.txt")) ? { exitCode: 1, output: "broken" } : {};
      return { files: { "work.txt": `${run}\n` }, report: { outcome: "implemented", summary: "works" } };
    },
  });
  const { id } = await world.submit();
  const task = await world.drain(id);
  const runs = await world.runs(id);
  const outcomes = runs.filter(({ step }) => step === "checks").map(({ outcome }) => outcome);
  return { task, outcomes };
}

describe("settings of checks", () => {
  it.each([
    ["", 3],
    ["repair_attempts: 1\n", 1],
    ["repair_attempts: 0\n", 0],
  ])("with %j an agent gets %d chances to repair, and then the task fails", async (settings, repairs) => {
    const { task, outcomes } = await play(`checks:\n  test: { command: npm test }\n${settings}`);
    expect(outcomes).toEqual(Array.from({ length: repairs + 1 }, () => "checks_failed"));
    expect(task.status).toBe("failed");
  });

  it("a failed warning is shown, and with fail_on_warning it rejects the change", async () => {
    const settings = "checks:\n  style: { command: npm run style, severity: warning }\n";
    expect((await play(settings)).outcomes).toEqual(["checks_passed"]);
    await world.close();
    const strict = await play(`${settings}fail_on_warning: true\nrepair_attempts: 0\n`);
    expect([strict.outcomes, strict.task.status]).toEqual([["checks_failed"], "failed"]);
  });
});
