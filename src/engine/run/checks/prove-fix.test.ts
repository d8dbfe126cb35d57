import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { ADA, openEngineWorld, type EngineWorld } from "../../../testing/engine/engine-world.ts";
import type { ScriptedEnd } from "../../../testing/engine/scripted-supervisors.ts";

let world: EngineWorld;
afterEach(() => world.close());

const BASE = { "total.txt": "10\n", "tests/old.txt": "10\n" };
const FIX = { "total.txt": "12\n" };
/** A test that fails without the fix, and one that does not. */
const GOOD_TEST = { "tests/tax.txt": "12\n" };
const USELESS_TEST = { "tests/tax.txt": "anything\n" };
const REPORT = {
  outcome: "investigation_complete",
  summary: "the tax is missing",
  report: "The total has no tax.",
  options: [{ id: "opt-a", title: "Add the tax", description: "Add it." }],
  subtasks: [],
};

/** `tests/tax.txt` names the total that it expects, or "anything". Other tests are not modelled. */
async function runTests(cwd: string): Promise<ScriptedEnd> {
  const read = (file: string) => readFile(join(cwd, file), "utf8").catch(() => null);
  const [total, tax, isRed] = [await read("total.txt"), await read("tests/tax.txt"), await read("red.txt")];
  const failed = [
    ...(isRed === null ? [] : ["old"]),
    ...(tax === null || /any/.test(tax) || tax === total ? [] : ["tax"]),
  ];
  const lines = failed.map((name) => `not ok 1 - ${name}\n  ---\n  ...\n`);
  return { exitCode: failed.length === 0 ? 0 : 1, output: `${lines.join("")}# pass 3\n# fail ${failed.length}\n` };
}

async function runTestsWithoutNames(cwd: string): Promise<ScriptedEnd> {
  return { ...(await runTests(cwd)), output: "something failed\n" };
}

/** Like a compiled language, in which a test that uses a new function does not compile without it. */
async function compileTests(cwd: string): Promise<ScriptedEnd> {
  const { exitCode } = await runTests(cwd);
  return {
    exitCode: exitCode ?? 0,
    output: exitCode === 0 ? "" : "tax_test.go:3:5: undefined: Tax\nFAIL\tshop [build failed]\n",
  };
}

interface Scene {
  readonly changes: readonly Readonly<Record<string, string>>[];
  readonly settings?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly check?: (cwd: string) => Promise<ScriptedEnd>;
}

/** Plays a bug until it ends or waits. Each implement run writes the next of the changes. */
async function fix({ changes, settings = "", files = {}, check = runTests }: Scene) {
  world = await openEngineWorld({
    files: { ...BASE, ...files },
    settings: `checks:\n  test: { command: npm test }\n${settings}`,
    script: async ({ name, role, cwd, run }) => {
      if (name !== "agent") return check(cwd);
      if (role === "investigate") return { report: REPORT };
      if (role === "review") return { report: { outcome: "approved", summary: "good", comments: [] } };
      const written = changes[Math.min(run, changes.length - 1)] ?? {};
      return {
        files: { ...written, "log.txt": `${run}\n` },
        report: { outcome: "implemented", summary: "adds the tax" },
      };
    },
  });
  const { id } = await world.submit({ pipeline: "bug", title: "The tax is missing" });
  await world.drain(id);
  await world.commands.choose(id, { option: "opt-a", then: "implement" }, ADA);
  const task = await world.drain(id);
  const checks = await world.ports.store.tasks.listChecks(id);
  const runs = await world.runs(id);
  return {
    id,
    task,
    runs,
    outcomes: runs.filter(({ step }) => step === "checks").map(({ outcome }) => outcome),
    proofs: checks.filter(({ name }) => name === "proof of the fix").map(({ status, tail }) => ({ status, tail })),
  };
}

/** The roles whose prompt says that a test must fail without the fix. */
async function rolesToldAboutProof(settings: string): Promise<readonly (string | null)[]> {
  const { runs } = await fix({ changes: [{ ...FIX, ...GOOD_TEST }], settings });
  const agents = runs.filter(({ step }) => step === "agent");
  const prompts = await Promise.all(
    agents.map(({ id }) => readFile(join(world.ports.runFiles.dir(id), "prompt.md"), "utf8")),
  );
  return agents.filter((_, index) => prompts[index]?.includes("fails without your fix")).map(({ role }) => role);
}

describe("proof of a fix", () => {
  it("a test that fails on the base commit and passes on the change proves the fix", async () => {
    const { outcomes, proofs, runs, id } = await fix({ changes: [{ ...FIX, ...GOOD_TEST }] });
    expect(outcomes).toEqual(["checks_passed"]);
    expect(proofs).toEqual([{ status: "passed", tail: '"tax" fails on the base commit and passes on the change.' }]);
    expect(runs.find(({ step }) => step === "checks")?.payload).toMatchObject({ proof: "proven" });
    const events = await world.ports.store.events.listEvents({ after: 0, task: id, limit: 1000 });
    expect(events.find(({ data }) => data["name"] === "proof of the fix")).toMatchObject({
      type: "check.ended",
      summary: "check proof of the fix: proven",
    });
  });

  it("the prompt says that the test must fail without the fix, unless nothing is proven", async () => {
    expect(await rolesToldAboutProof("")).toEqual(["implement"]);
    await world.close();
    expect(await rolesToldAboutProof("gates: { proof: off }\n")).toEqual([]);
  });

  it("a test that passes without the fix is sent back once with that sentence, and then shown", async () => {
    const { outcomes, proofs, task } = await fix({ changes: [{ ...FIX, ...USELESS_TEST }] });
    expect(outcomes).toEqual(["not_proven", "checks_passed"]);
    expect(proofs.map(({ status }) => status)).toEqual(["failed", "failed"]);
    expect(task.state).not.toBe("failed");
    const repair = (await world.runs(task.id)).filter(({ role }) => role === "implement").at(-1);
    const prompt = await readFile(join(world.ports.runFiles.dir(repair?.id ?? ""), "prompt.md"), "utf8");
    expect(prompt).toContain("pass on the base commit too, so they do not show the fix");
  });

  it("a repaired test proves the fix", async () => {
    const { outcomes, proofs } = await fix({ changes: [{ ...FIX, ...USELESS_TEST }, GOOD_TEST] });
    expect(outcomes).toEqual(["not_proven", "checks_passed"]);
    expect(proofs.at(-1)?.status).toBe("passed");
  });

  it("a change without a test is only shown", async () => {
    const { outcomes, proofs } = await fix({ changes: [FIX] });
    expect([outcomes, proofs.map(({ status }) => status)]).toEqual([["checks_passed"], ["skipped"]]);
    // The base commit is not checked, because there is nothing to run on it.
    expect(world.supervisors.started.filter((name) => name === "check:test")).toHaveLength(1);
  });

  it("with gates.proof: require, a missing test is sent back once, and then a person decides", async () => {
    const { outcomes, task, id } = await fix({ changes: [FIX], settings: "gates: { proof: require }\n" });
    expect(outcomes).toEqual(["not_proven", "checks_inconclusive"]);
    expect(task).toMatchObject({ status: "waiting", state: "checking", waitingFor: { about: "checks" } });
    expect(JSON.stringify(task.waitingFor)).toContain("adds or changes no test");
    await world.commands.choose(id, { option: "publish", note: "tested by hand" }, ADA);
    expect((await world.drain(id)).status).not.toBe("failed");
  });

  it("with gates.proof: off, nothing is proven", async () => {
    const { outcomes, proofs } = await fix({ changes: [FIX], settings: "gates: { proof: off }\n" });
    expect([outcomes, proofs]).toEqual([["checks_passed"], []]);
  });

  it("a base whose tests are red proves the fix by the names of the tests", async () => {
    const { outcomes, proofs } = await fix({ changes: [{ ...FIX, ...GOOD_TEST }], files: { "red.txt": "x\n" } });
    // The red test leaves the checks without a result, so a person decides about that.
    expect(outcomes).toEqual(["checks_inconclusive"]);
    expect(proofs[0]?.tail).toBe('"tax" fails on the base commit and passes on the change.');
  });

  it("a red base without names of tests is not a proof", async () => {
    const { outcomes, proofs } = await fix({
      changes: [{ ...FIX, ...GOOD_TEST }],
      files: { "red.txt": "x\n" },
      check: runTestsWithoutNames,
    });
    expect(outcomes).toEqual(["checks_inconclusive"]);
    expect(proofs[0]).toMatchObject({ status: "failed" });
    expect(proofs[0]?.tail).toContain("even without the tests of the change");
  });

  it("tests that do not compile on the base commit prove the fix, and the result says so", async () => {
    const { proofs } = await fix({ changes: [{ ...FIX, ...GOOD_TEST }], check: compileTests });
    expect(proofs).toEqual([
      {
        status: "passed",
        tail: "The tests of the change do not compile or load on the base commit and pass on the change.",
      },
    ]);
  });

  it("a `related` command runs for the tests of the change only, on base and change", async () => {
    const settings = `  unit: { command: make all, related: "make test {{files}}" }\n`;
    const { proofs } = await fix({ changes: [{ ...FIX, ...GOOD_TEST }], settings });
    expect(proofs[0]?.status).toBe("passed");
    const unit = world.supervisors.started.filter((name) => name === "check:unit");
    // The change, the base with the tests, the base as it is, and the tests by themselves on the change.
    expect(unit).toHaveLength(4);
  });

  it("a change of another pipeline is not examined", async () => {
    world = await openEngineWorld({
      settings: "checks:\n  test: { command: npm test }\n",
      script: ({ name }) => (name === "agent" ? { files: FIX, report: { outcome: "implemented", summary: "x" } } : {}),
    });
    const { id } = await world.submit({ pipeline: "chore" });
    await world.drain(id);
    expect((await world.ports.store.tasks.listChecks(id)).map(({ name }) => name)).not.toContain("proof of the fix");
  });
});
