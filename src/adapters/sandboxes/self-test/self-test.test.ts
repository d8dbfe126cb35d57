import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Sandbox } from "../../../ports/sandbox.ts";
import { missingTool } from "./diagnose.ts";
import { enforce } from "../enforce.ts";
import { none } from "../none.ts";
import { runConfined } from "../run-confined.ts";
import { readSeccomp } from "./read-seccomp.ts";
import { requireHeld, runSelfTestOnce } from "./self-test-once.ts";
import { PROC_PROBES } from "./self-test-probes.ts";
import type { Scene } from "./self-test-scene.ts";
import { runSelfTest } from "./self-test.ts";

const isLinux = process.platform === "linux";
const isRoot = process.getuid?.() === 0;

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "self-test-"));
  writeFileSync(join(home, ".netrc"), "a file of the person");
});
afterEach(() => {
  rmSync(home, { recursive: true });
});

function listLeftovers(): readonly string[] {
  return readdirSync("/tmp").filter((name) => /^nightshift-[0-9a-f]{8}-/.test(name));
}

const params = () => ({ home, personHome: home });

describe.runIf(isLinux)("the self-test", () => {
  test("is passed by the real wall, quickly, and leaves nothing behind", async () => {
    const probes = await runSelfTest(enforce, params());
    expect(probes.filter(({ ok }) => !ok)).toEqual([]);
    expect(probes.length).toBeGreaterThanOrEqual(18);
    expect(readdirSync(home)).toEqual([".netrc"]);
  });

  test("works with the home of whoever runs it", async () => {
    const probes = await runSelfTest(enforce, { home, personHome: homedir() });
    expect(probes.find(({ name }) => name === "your home")).toMatchObject({ ok: true });
  });

  test("without a wall every probe that can reach through does", async () => {
    // These depend on who we are and on what this kernel was built with.
    const unsure = isRoot ? [] : ["user", "capabilities", "kernel settings", "new namespaces", "limits"];
    const probes = await runSelfTest(none, params());
    const passed = probes.filter(({ ok }) => ok).map(({ name }) => name);
    expect(passed.filter((name) => !unsure.includes(name))).toEqual([]);
    expect(readdirSync(home)).toEqual([".netrc"]);
    // Self-tests of other test files may have one there for a moment.
    await expect.poll(listLeftovers, { timeout: 10_000 }).toEqual([]);
  });

  test("a wall that starts nothing proves nothing", async () => {
    const silent: Sandbox = { ...none, open: (policy, _, place) => none.open(policy, ["/bin/true"], place) };
    const probes = await runSelfTest(silent, params());
    const passed = probes.filter(({ ok }) => ok).map(({ name }) => name);
    expect(passed).toEqual(["connections", "leftovers"]);
  });

  test("a wall that does not come up says so", async () => {
    const broken: Sandbox = {
      ...none,
      open: async (policy, _, place) => ({
        ...(await none.open(policy, ["/bin/sh", "-c", "echo no namespaces >&2; exit 1"], place)),
        problem: (__, stderr) => `It did not come up: ${stderr.trim()}`,
      }),
    };
    await expect(runSelfTest(broken, params())).rejects.toMatchObject({
      kind: "unavailable",
      message: "It did not come up: no namespaces",
    });
    const missing: Sandbox = { ...none, open: () => Promise.reject(missingTool("bwrap")) };
    await expect(runSelfTest(missing, params())).rejects.toThrow("not installed");
    expect(readdirSync(home)).toEqual([".netrc"]);
  });
});

function status(mode: number, filters?: number): string {
  return `Name:\tsh\nSeccomp:\t${mode}\n${filters === undefined ? "" : `Seccomp_filters:\t${filters}\n`}`;
}

describe("the filter of system calls", () => {
  const rule = PROC_PROBES.find(({ name }) => name === "system calls");
  const judge = (inside: string, outside: string) =>
    rule?.judge(inside, { seccomp: readSeccomp(outside) } as unknown as Scene);

  test.each([
    [status(2, 1), status(0, 0)],
    [status(2, 2), status(2, 1)],
    [status(2), status(0)],
  ])("holds where the command has one more than Nightshift: %j, %j", (inside, outside) => {
    expect(judge(inside, outside)).toBeNull();
  });

  test.each([
    [status(0, 0), status(0, 0)],
    [status(2, 1), status(2, 1)],
    [status(2), status(2)],
    ["", status(0, 0)],
  ])("does not hold where it has none of its own: %j, %j", (inside, outside) => {
    expect(judge(inside, outside)).toMatch(/^there is no filter/);
  });
});

describe.runIf(isLinux)("a test that was passed", () => {
  let starts: number;
  const counted: Sandbox = {
    ...enforce,
    open: (...args) => {
      starts += 1;
      return enforce.open(...args);
    },
  };
  beforeEach(() => {
    starts = 0;
  });

  test("is not taken again, until something about it changes", async () => {
    const first = await runSelfTestOnce(counted, params());
    expect(await runSelfTestOnce(counted, params())).toEqual(first);
    expect(starts).toBe(1);
    const file = join(home, "self-test.json");
    const { key, probes } = JSON.parse(readFileSync(file, "utf8")) as { key: string; probes: unknown };
    writeFileSync(file, JSON.stringify({ key: `${key}, another kernel`, probes }));
    await runSelfTestOnce(counted, params());
    writeFileSync(file, "half a fi");
    await runSelfTestOnce(counted, params());
    expect(starts).toBe(3);
  });

  test("but one that failed is", async () => {
    const silent: Sandbox = { ...none, open: (policy, _, place) => none.open(policy, ["/bin/true"], place) };
    const probes = await runSelfTestOnce(silent, params());
    expect(existsSync(join(home, "self-test.json"))).toBe(false);
    expect(() => requireHeld(probes)).toThrow(/does not hold .*writes outside: could not be tried/);
  });

  test("all that held is no reason to refuse", () => {
    expect(() => requireHeld([{ name: "user", ok: true, detail: "" }])).not.toThrow();
  });
});

describe("starting a confined command", () => {
  const limits = { timeoutMs: 10_000, graceMs: 500 };
  const command = { env: { PATH: "/usr/bin:/bin" }, cwd: "/", isWall: false } as const;

  test("gives it its inputs and takes its status", async () => {
    const argv = ["/bin/sh", "-c", "cat <&3; cat <&4 >&2; echo up >&5; exit 7"] as const;
    const inputs = [Buffer.from("one"), Buffer.alloc(200_000, "2")];
    const result = await runConfined({ ...command, argv, inputs, statusPipes: 1 }, limits);
    expect(result).toMatchObject({ code: 7, stdout: "one", status: "up\n", hasLeftover: false });
    expect(result.stderr).toHaveLength(200_000);
  });

  test("does not mind input that nobody reads, and ends what does not end", async () => {
    const inputs = [Buffer.alloc(1_000_000)];
    const unread = await runConfined({ ...command, argv: ["/bin/true"], inputs, statusPipes: 0 }, limits);
    expect(unread.code).toBe(0);
    const hung = { ...command, argv: ["/bin/sleep", "20"] as const, inputs: [], statusPipes: 0 };
    expect(await runConfined(hung, { ...limits, timeoutMs: 100 })).toMatchObject({ code: null });
  });

  test("throws when there is nothing to start", async () => {
    const missing = { ...command, argv: ["/no/such/program"] as const, inputs: [], statusPipes: 0 };
    await expect(runConfined(missing, limits)).rejects.toThrow("ENOENT");
  });
});
