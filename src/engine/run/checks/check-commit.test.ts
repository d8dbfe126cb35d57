import { afterEach, describe, expect, it } from "vitest";
import { openEngineWorld, type EngineWorld } from "../../../testing/engine/engine-world.ts";
import type { ScriptedEnd } from "../../../testing/engine/scripted-supervisors.ts";

let world: EngineWorld;
afterEach(() => world.close());

const CHANGE: ScriptedEnd = {
  files: { "greeting.txt": "hello, world\n" },
  report: { outcome: "implemented", summary: "greets the world" },
};
const BROKEN: ScriptedEnd = { exitCode: 1, output: "greets nobody" };
const RELATED = "check:test (related)";
const BOTH = `  build: { command: make }\n  test: { command: npm test, related: "npm test {{files}}" }\n`;

/** The ends of each command in order. The last one repeats, and a command without any passes. */
type Ends = Readonly<Record<string, readonly ScriptedEnd[]>>;

async function check(ends: Ends, settings = BOTH) {
  world = await openEngineWorld({
    settings: `checks:\n${settings}`,
    script: ({ name, run }) => (name === "agent" ? CHANGE : (ends[name]?.[run] ?? ends[name]?.at(-1) ?? {})),
  });
  const { id } = await world.submit();
  await world.step(id);
  const run = await world.step(id);
  const checks = (await world.ports.store.tasks.listChecks(id)).filter(({ exitCode }) => exitCode !== null);
  return {
    outcome: run?.outcome,
    details: run?.payload?.["details"],
    results: Object.fromEntries(checks.map(({ name, status }) => [name, status])),
    started: world.supervisors.started.slice(1),
  };
}

describe("related tests", () => {
  it("run before their check; if they fail because of the change, the full check does not run", async () => {
    const { outcome, results, started, details } = await check({ [RELATED]: [BROKEN, {}] });
    expect(outcome).toBe("checks_failed");
    expect(results).toEqual({ build: "passed", "test (related)": "failed" });
    // The last one is on the base commit.
    expect(started).toEqual(["check:build", RELATED, RELATED]);
    expect(details).toMatch(/"test \(related\)" failed with exit code 1[^]*greets nobody/);
  });

  it("that pass do not count as a pass of the check", async () => {
    const failed = await check({ "check:test": [BROKEN, {}] });
    expect(failed).toMatchObject({ outcome: "checks_failed", results: { build: "passed", test: "failed" } });
    await world.close();
    const missing = { exitCode: 127, output: "not found" };
    const nothing = await check({ "check:test": [missing], "check:build": [missing] });
    expect(nothing).toMatchObject({ outcome: "checks_inconclusive", results: { test: "could_not_run" } });
  });

  it("that pass are followed by the full check in the same tree", async () => {
    const { outcome, results, started } = await check({});
    expect(outcome).toBe("checks_passed");
    expect(results).toEqual({ build: "passed", test: "passed" });
    expect(started).toEqual(["check:build", RELATED, "check:test"]);
  });

  it.each<[string, readonly ScriptedEnd[]]>([
    ["fail in the same way on the base commit", [BROKEN, BROKEN]],
    ["cannot run", [{ exitCode: 127, output: "no such option" }]],
  ])("that %s leave the decision to the full checks", async (_, ends) => {
    const { outcome, results, started } = await check({ [RELATED]: ends });
    expect(outcome).toBe("checks_passed");
    expect(results).toEqual({ build: "passed", test: "passed" });
    expect(started).toEqual(["check:build", RELATED, RELATED, "check:build", "check:test"]);
  });

  it("that are flaky do not stop the full check", async () => {
    const { outcome, started } = await check({ [RELATED]: [{ failedOutput: "sometimes", output: "ok" }] });
    expect([outcome, started]).toEqual(["checks_passed", ["check:build", RELATED, "check:test"]]);
  });

  it("of a warning run only if warnings fail", async () => {
    const settings = `  test: { command: npm test, related: "npm test {{files}}", severity: warning }\n`;
    expect((await check({ [RELATED]: [BROKEN, {}] }, settings)).started).toEqual(["check:test"]);
    await world.close();
    const strict = await check({ [RELATED]: [BROKEN, {}] }, `${settings}fail_on_warning: true\n`);
    expect([strict.outcome, strict.started]).toEqual(["checks_failed", [RELATED, RELATED]]);
  });

  it("stay the only ones that run where the pipeline says so", async () => {
    world = await openEngineWorld({
      settings: `checks:\n${BOTH}`,
      script: ({ name }) => (name === "agent" ? CHANGE : {}),
      files: {
        ".nightshift/pipelines/small.yaml": `name: small
start: implementing
policy: { checks: related }
states:
  implementing: { agent: implement, on: { implemented: checking } }
  checking: { checks: true, on: { checks_passed: done, checks_failed: failed, policy_failed: failed } }
  done: { end: succeeded }
  failed: { end: failed }
  cancelled: { end: cancelled }
`,
      },
    });
    const { id } = await world.submit({ pipeline: "small" });
    expect(await world.drain(id)).toMatchObject({ status: "succeeded" });
    expect(world.supervisors.started.slice(1)).toEqual(["check:build", "check:test"]);
  });
});
