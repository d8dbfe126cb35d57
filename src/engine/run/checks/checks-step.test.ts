import { afterEach, describe, expect, it } from "vitest";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ADA, openEngineWorld, type EngineWorld } from "../../../testing/engine/engine-world.ts";
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
  tail = checks[0]?.tail ?? "";
  return { outcome: run?.outcome, status: checks[0]?.status, started: world.supervisors.started.slice(1) };
}
/** The output that the last check was stored with. */
let tail = "";

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

  it("a check that fails on the base commit with the same output is inconclusive and never a pass", async () => {
    const red = { exitCode: 1, output: "fails since yesterday" };
    const { outcome, status } = await check(red, red);
    expect([outcome, status]).toEqual(["checks_inconclusive", "inconclusive"]);
  });

  it.each<[what: string, end: ScriptedEnd]>([
    ["exits with 127", { exitCode: 127, output: "uv: not found" }],
    ["exits with 126", { exitCode: 126, output: "permission denied" }],
    ["times out", { exitCode: 143, endedBy: "timeout" }],
  ])(
    "a check that %s on change and base could not run; it is blamed on the change if it ran on the base",
    async (_, end) => {
      const both = await check(end, end);
      expect([both.outcome, both.status]).toEqual(["checks_inconclusive", "could_not_run"]);
      await world.close();
      const onChange = await check(end, {});
      expect([onChange.outcome, onChange.status]).toEqual(["checks_failed", "failed"]);
    },
  );

  it("a set-up that fails on change and base means that no check could run", async () => {
    let setups = 0;
    world = await openEngineWorld({
      settings: "workspace: { setup: make deps }\nchecks:\n  test: { command: npm test }\n",
      // It works for the agent and breaks afterwards.
      script: ({ name }) => (name === "agent" ? CHANGE : name === "setup" && setups++ > 0 ? { exitCode: 1 } : {}),
    });
    const { id } = await world.submit();
    await world.step(id);
    expect((await world.step(id))?.outcome).toBe("checks_inconclusive");
    const { waitingFor } = (await world.ports.store.tasks.getTask(id)) ?? {};
    expect(JSON.stringify(waitingFor)).toContain("set-up fails on the base commit, too");
    expect((await world.ports.store.tasks.listChecks(id)).at(-1)).toMatchObject({
      name: "test",
      status: "could_not_run",
    });
  });

  it("one check that passes is enough, and inconclusive ones are still shown", async () => {
    const settings = "test: { command: npm test }\n  build: { command: make }";
    world = await openEngineWorld({
      settings: `checks:\n  ${settings}\n`,
      script: ({ name }) => (name === "agent" ? CHANGE : { exitCode: name === "check:test" ? 127 : 0, output: "x" }),
    });
    const { id } = await world.submit();
    await world.step(id);
    expect(await world.step(id)).toMatchObject({
      outcome: "checks_passed",
      payload: { checks: { test: "could_not_run", build: "passed" } },
    });
  });

  it("a project without checks passes, and the result says that none are configured", async () => {
    world = await openEngineWorld({ script: () => CHANGE });
    const { id } = await world.submit();
    await world.step(id);
    expect((await world.step(id))?.payload).toMatchObject({ summary: "no checks configured", checks: {} });
    expect((await world.drain(id)).reason).toMatch(/not verified: no checks configured/);
  });

  it("a project whose only check is a warning passes, and the result says that nothing verifies the change", async () => {
    const settings = "checks:\n  test: { command: npm test, severity: warning }\n";
    world = await openEngineWorld({ settings, script: ({ name }) => (name === "agent" ? CHANGE : {}) });
    const { reason } = await world.drain((await world.submit()).id);
    expect(reason).toMatch(/not verified: no check with severity error is configured/);
  });

  it("a result of the base commit that is older than an hour does not blame the change", async () => {
    let later = 0;
    let isBroken = false;
    world = await openEngineWorld({
      settings: "checks:\n  test: { command: npm test }\n",
      // Since then, something outside of the repository broke: the check now fails on every commit.
      script: ({ name, run }) =>
        name === "agent" ? CHANGE : isBroken || run === 0 ? { exitCode: 1, output: "no such module" } : {},
      over: (ports) => ({ clock: { ...ports.clock, now: () => ports.clock.now() + later } }),
    });
    const checkAgain = async () => {
      const { id } = await world.submit();
      await world.step(id);
      return (await world.step(id))?.outcome;
    };
    expect(await checkAgain()).toBe("checks_failed");
    later = 2 * 3_600_000;
    isBroken = true;
    expect(await checkAgain()).toBe("checks_inconclusive");
  });

  it("a warning whose program the sandbox does not allow is only shown", async () => {
    const output = 'nightshift: "ruff" is not available here. Allowed programs: git.';
    world = await openEngineWorld({
      settings: "checks:\n  lint: { command: ruff check }\n  test: { command: npm test }\n",
      script: ({ name }) => (name === "agent" ? CHANGE : name === "check:lint" ? { exitCode: 127, output } : {}),
    });
    const { id } = await world.submit();
    await world.step(id);
    expect((await world.step(id))?.outcome).toBe("checks_passed");
  });

  it("a second change on the same base commit does not measure the base again", async () => {
    const red = { exitCode: 1, output: "fails since yesterday" };
    await check(red, red);
    const before = world.supervisors.started.length;
    const { id } = await world.submit();
    await world.step(id);
    expect((await world.step(id))?.outcome).toBe("checks_inconclusive");
    expect(world.supervisors.started.slice(before)).toEqual(["agent:implement", "check:test"]);
  });

  it("a check that fails on the base commit with different output is blamed on the change", async () => {
    const { outcome } = await check(
      { exitCode: 1, output: "a new failure" },
      { exitCode: 1, output: "an old failure" },
    );
    expect(outcome).toBe("checks_failed");
  });

  it("a flaky check passes, and its result shows the run that failed", async () => {
    const end = { failedOutput: "expected 1 but got 2\n", output: `${"fine\n".repeat(5000)}done\n` };
    expect(await check(end)).toMatchObject({ outcome: "checks_passed", status: "flaky" });
    expect(tail).toMatch(/From the failed run:\nexpected 1 but got 2\n[^]*repeated run:[^]*done$/);
    expect(tail.length).toBeLessThan(8_500);
  });

  it("a check that fails twice shows only the output of its second run", async () => {
    await check({ exitCode: 1, failedOutput: "first run\n", output: "second run\n" });
    expect(tail).toBe("second run");
  });

  it("a flaky check with little output does not show the failed run twice", async () => {
    await check({ failedOutput: "expected 1 but got 2\n", output: "done\n" });
    expect(tail.match(/expected 1/g)).toHaveLength(1);
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

describe("checks: a change of what defines the checks", () => {
  const GATE = { "check.sh": "grep -q hello greeting.txt\n", "greeting.txt": "hello, world\n" };
  const files = { "check.sh": "test -f greeting.txt\n" };
  const settings = "checks:\n  test: { command: sh check.sh }\n";

  /** `onBaseGates` is how the check ends with the base commit's version of check.sh. */
  async function changeGate(onBaseGates: ScriptedEnd): Promise<string> {
    world = await openEngineWorld({
      files,
      settings,
      script: async ({ name, cwd }) => {
        if (name === "agent") return { ...CHANGE, files: GATE };
        const isChanged = (await readFile(join(cwd, "greeting.txt"), "utf8")) === GATE["greeting.txt"];
        const isBaseGate = (await readFile(join(cwd, "check.sh"), "utf8")) === files["check.sh"];
        return isChanged && isBaseGate ? onBaseGates : {};
      },
    });
    const { id } = await world.submit();
    await world.step(id);
    await world.step(id);
    return id;
  }

  it("a change that passes only its own version of the checks is sent back with the output", async () => {
    const id = await changeGate({ exitCode: 1, output: "greeting is wrong" });
    const run = (await world.runs(id)).find(({ step }) => step === "checks");
    expect(run).toMatchObject({ outcome: "checks_failed", payload: { checks: { "test (as on the base)": "failed" } } });
    const task = await world.ports.store.tasks.getTask(id);
    expect(task).toMatchObject({ state: "implementing", trigger: { kind: "errors" } });
    expect(task?.trigger?.text).toContain("greeting is wrong");
  });

  it("otherwise a person decides, and nothing is published before", async () => {
    const id = await changeGate({});
    const task = await world.drain(id);
    expect(task).toMatchObject({
      status: "waiting",
      state: "checking",
      waitingFor: { kind: "choice", about: "checks" },
    });
    expect(JSON.stringify(task.waitingFor)).toContain("the change alters what is checked (check.sh)");
    await world.commands.choose(id, { option: "publish", note: "the script was wrong" }, ADA);
    expect(await world.drain(id)).toMatchObject({ status: "succeeded", outcome: "published" });
  });
});

describe("checks: a change of what an unchanged file lets the checks run", () => {
  const files = {
    "package.json": '{"scripts":{"test":"node etc/run.js"}}',
    "etc/run.js": "run the tests\n",
    "etc/setup.sh": "prepare\n",
    "etc/related.sh": "run some tests\n",
  };
  const settings = `checks:
  test: { command: npm test, related: "sh etc/related.sh {{files}}" }
workspace: { setup: sh etc/setup.sh }
improve: { avoid_recent_commits: 0 }
`;

  it.each(["etc/run.js", "etc/setup.sh", "etc/related.sh"])("%s leaves the decision to a person", async (path) => {
    world = await openEngineWorld({
      files,
      settings,
      script: ({ name }) => (name === "agent" ? { ...CHANGE, files: { [path]: "changed\n" } } : {}),
    });
    const task = await world.drain((await world.submit()).id);
    expect(task).toMatchObject({ status: "waiting", state: "checking", waitingFor: { about: "checks" } });
    expect(JSON.stringify(task.waitingFor)).toContain(`the change alters what is checked (${path})`);
  });

  it("is refused in the nightly improvement", async () => {
    const analysis = {
      outcome: "improvement_found",
      summary: "faster",
      category: "docs",
      candidates: [{ rank: 1, title: "Say more", files: ["etc/run.js"], description: "d", rationale: "r" }],
      selected: 1,
      slug: "say-more",
    };
    world = await openEngineWorld({
      files,
      settings,
      script: ({ name, role }) => {
        if (name !== "agent") return {};
        return role === "analyze" ? { report: analysis } : { ...CHANGE, files: { "etc/run.js": "process.exit(0)\n" } };
      },
    });
    const improve = { category: "docs", only: true, scheduledAt: null } as const;
    const { id } = await world.submit({ pipeline: "improve", improve });
    expect(await world.drain(id)).toMatchObject({ status: "failed", state: "abandoned" });
    expect((await world.runs(id)).filter(({ step }) => step === "checks").map(({ outcome }) => outcome)).toEqual(
      Array.from({ length: 3 }, () => "policy_failed"),
    );
  });
});

describe("checks: proofs that the change kept the tests", () => {
  const BASE = { "greeting.txt": "hello\n", "tests/expected.txt": "hello\n", "tests/rows.txt": "1\n2\n3\n" };

  /** A check that compares the greeting with what the tests expect, and reports one test per row. */
  async function change(
    files: Readonly<Record<string, string>>,
    draft: Partial<Parameters<EngineWorld["submit"]>[0]> = {},
  ) {
    world = await openEngineWorld({
      files: BASE,
      settings: "checks:\n  test: { command: npm test }\n",
      script: async ({ name, cwd }) => {
        if (name === "agent") return { ...CHANGE, files };
        const read = (path: string) => readFile(join(cwd, path), "utf8");
        const rows = (await read("tests/rows.txt")).trim().split("\n").length;
        const isRight = (await read("greeting.txt")) === (await read("tests/expected.txt"));
        const output = `Tests:       ${isRight ? "" : "1 failed, "}${rows} passed, ${rows} total\n`;
        return { exitCode: isRight ? 0 : 1, output };
      },
    });
    const { id } = await world.submit(draft);
    await world.step(id);
    const run = await world.step(id);
    const results = await world.ports.store.tasks.listChecks(id);
    const proofOf = (name: string) => {
      const found = results.find((each) => each.name === name);
      return found === undefined ? null : { status: found.status, severity: found.severity, tail: found.tail };
    };
    return {
      outcome: run?.outcome,
      summary: run?.payload?.["summary"],
      count: proofOf("number of tests"),
      baseTests: proofOf("tests of the base"),
      started: world.supervisors.started.slice(1),
    };
  }

  it("fewer executed tests than on the base are shown with the numbers, and a person decides", async () => {
    const { outcome, summary, count } = await change({ "tests/rows.txt": "1\n2\n" });
    expect(outcome).toBe("checks_inconclusive");
    expect(summary).toMatch(/fewer tests run/);
    expect(count?.tail).toMatch(/^The check "test" ran 3 tests before the change, and 2 now\. /);
  });

  it("more tests are a pass", async () => {
    const { outcome, count } = await change({ "tests/rows.txt": "1\n2\n3\n4\n" });
    expect([outcome, count?.status]).toEqual(["checks_passed", "passed"]);
  });

  it("code and expected value changed together are shown as a warning", async () => {
    const { outcome, baseTests } = await change({ "greeting.txt": "bye\n", "tests/expected.txt": "bye\n" });
    expect(outcome).toBe("checks_passed");
    expect(baseTests).toMatchObject({ status: "failed", severity: "warning" });
    expect(baseTests?.tail).toMatch(/fails with the earlier version of tests\/expected\.txt/);
  });

  it("code and expected value changed together are never approved automatically", async () => {
    const both = { "greeting.txt": "bye\n", "tests/expected.txt": "bye\n" };
    const { outcome, summary } = await change(both, { autoApprove: true });
    expect(outcome).toBe("checks_inconclusive");
    expect(summary).toMatch(/alters behaviour that earlier tests fix/);
  });

  it("a change without tests runs nothing more", async () => {
    const { outcome, started, count, baseTests } = await change({ "notes.txt": "x\n" });
    expect([outcome, started, count, baseTests]).toEqual(["checks_passed", ["check:test"], null, null]);
  });
});
