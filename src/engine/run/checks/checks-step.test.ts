import { afterEach, describe, expect, it } from "vitest";
import { openEngineWorld, type EngineWorld } from "../../../testing/engine/engine-world.ts";
import type { ScriptedEnd } from "../../../testing/engine/scripted-supervisors.ts";

let world: EngineWorld;
afterEach(() => world.close());

const CHANGE: ScriptedEnd = {
  files: { "greeting.txt": "hello, world\n" },
  report: { outcome: "implemented", summary: "greets the world" },
};

/** Implements, then runs the check once; `onBase` is how the same check ends on the base commit. */
async function check(onChange: ScriptedEnd, onBase: ScriptedEnd = {}, settings = "test: { command: npm test }") {
  world = await openEngineWorld({
    settings: `checks:\n  ${settings}\n`,
    script: ({ name, run }) => (name === "agent" ? CHANGE : run === 0 ? onChange : onBase),
  });
  const { id } = await world.submit();
  await world.step(id);
  const run = await world.step(id);
  const checks = (await world.ports.store.tasks.listChecks(id)).filter(({ name }) => name === "test");
  return { outcome: run?.outcome, status: checks[0]?.status, started: world.supervisors.started.slice(1) };
}

describe("checks", () => {
  it("a check that passes lets the change through and runs once", async () => {
    expect(await check({})).toEqual({ outcome: "checks_passed", status: "passed", started: ["check:test"] });
  });

  it("a check that fails only on the change is the change's fault", async () => {
    expect(await check({ exitCode: 1, output: "broken" })).toEqual({
      outcome: "checks_failed",
      status: "failed",
      started: ["check:test", "check:test"],
    });
  });

  it("a check that fails on the base commit with the same output is inconclusive and not blamed on the change", async () => {
    const red = { exitCode: 1, output: "fails since yesterday" };
    const { outcome, status } = await check(red, red);
    expect(status).toBe("inconclusive");
    expect(outcome).not.toBe("checks_failed");
  });

  it("a check that fails on the base commit with different output is blamed on the change", async () => {
    const { outcome } = await check(
      { exitCode: 1, output: "a new failure" },
      { exitCode: 1, output: "an old failure" },
    );
    expect(outcome).toBe("checks_failed");
  });

  it("a failed check with severity warning does not stop the change", async () => {
    const settings = "test: { command: npm test, severity: warning }\n  build: { command: make }";
    world = await openEngineWorld({
      settings: `checks:\n  ${settings}\n`,
      script: ({ name }) => (name === "agent" ? CHANGE : { exitCode: name === "check:test" ? 1 : 0, output: "x" }),
    });
    const { id } = await world.submit();
    await world.step(id);
    expect((await world.step(id))?.outcome).toBe("checks_passed");
  });

  it("a secret in the change is refused before any command of the project runs", async () => {
    world = await openEngineWorld({
      settings: "checks:\n  test: { command: npm test }\n",
      script: () => ({
        ...CHANGE,
        files: {
          "deploy.sh": `export AWS_SECRET_ACCESS_KEY=${["wJalrXUtnFEMIK7MDENG", "bPxRfiCYzzzzzzzKEYab"].join("")}\n`,
        },
      }),
    });
    const { id } = await world.submit();
    await world.step(id);
    expect((await world.step(id))?.outcome).toBe("policy_failed");
    expect(world.supervisors.started).toEqual(["agent:implement"]);
  });
});
