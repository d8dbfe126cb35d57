import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Sandbox } from "../../../ports/sandbox.ts";
import { missingToolError } from "./diagnose.ts";
import { enforce, none } from "../index.ts";
import { runConfined } from "../run-confined.ts";
import { readSeccomp } from "./self-test-scene.ts";
import { requirePassed, runSelfTestOnce } from "./self-test-once.ts";
import { PROC_PROBES } from "./self-test-probes.ts";
import type { Scene } from "./self-test-scene.ts";
import { runSelfTest } from "./self-test.ts";

const isLinux = process.platform === "linux";
const isRoot = process.getuid?.() === 0;

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "self-test-"));
  writeFileSync(join(home, ".netrc"), "a file of the user");
});
afterEach(() => {
  rmSync(home, { recursive: true });
});

const params = () => ({ home, userHome: home });

describe.runIf(isLinux)("runSelfTest", () => {
  test("passes in the real sandbox and leaves no files behind", async () => {
    const probes = await runSelfTest(enforce, params());
    expect(probes.filter(({ ok }) => !ok)).toEqual([]);
    expect(probes.length).toBeGreaterThanOrEqual(18);
    expect(readdirSync(home)).toEqual([".netrc"]);
  });

  test("works with the real home of the user", async () => {
    const probes = await runSelfTest(enforce, { home, userHome: homedir() });
    expect(probes.find(({ name }) => name === "your home")).toMatchObject({ ok: true });
  });

  test("fails every probe that can fail without a sandbox", async () => {
    // These depend on the user and on the kernel's build options.
    const unreliable = isRoot ? [] : ["user", "capabilities", "kernel settings", "new namespaces", "limits"];
    let id = "";
    const observed: Sandbox = {
      ...none,
      open: (policy, command, context) => {
        id = context.run.replace("self-test-", "");
        return none.open(policy, command, context);
      },
    };
    const probes = await runSelfTest(observed, params());
    const passed = probes.filter(({ ok }) => ok).map(({ name }) => name);
    expect(passed.filter((name) => !unreliable.includes(name))).toEqual([]);
    expect(readdirSync(home)).toEqual([".netrc"]);
    // Other files with such names may exist, left by programs that were killed.
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    for (const dir of ["/tmp", "/dev/shm"]) expect(readdirSync(dir)).not.toContain(`nightshift-${id}`);
  });

  test("fails all probes if the sandbox does not run the script", async () => {
    const silent: Sandbox = { ...none, open: (policy, _, context) => none.open(policy, ["/bin/true"], context) };
    const probes = await runSelfTest(silent, params());
    const passed = probes.filter(({ ok }) => ok).map(({ name }) => name);
    expect(passed).toEqual(["connections", "leftovers"]);
  });

  test("rejects if the sandbox does not start", async () => {
    const broken: Sandbox = {
      ...none,
      open: async (policy, _, context) => ({
        ...(await none.open(policy, ["/bin/sh", "-c", "echo no namespaces >&2; exit 1"], context)),
        problem: (__, stderr) => `It did not start: ${stderr.trim()}`,
      }),
    };
    await expect(runSelfTest(broken, params())).rejects.toMatchObject({
      kind: "unavailable",
      message: "It did not start: no namespaces",
    });
    const missing: Sandbox = { ...none, open: () => Promise.reject(missingToolError("bwrap")) };
    await expect(runSelfTest(missing, params())).rejects.toThrow("not installed");
    expect(readdirSync(home)).toEqual([".netrc"]);
  });
});

function status(mode: number, filters?: number): string {
  return `Name:\tsh\nSeccomp:\t${mode}\n${filters === undefined ? "" : `Seccomp_filters:\t${filters}\n`}`;
}

describe("the system call probe", () => {
  const rule = PROC_PROBES.find(({ name }) => name === "system calls");
  const evaluate = (inside: string, outside: string) =>
    rule?.evaluate(inside, { seccomp: readSeccomp(outside) } as unknown as Scene);

  test.each([
    [status(2, 1), status(0, 0)],
    [status(2, 2), status(2, 1)],
    [status(2), status(0)],
  ])("passes if the command has one filter more than Nightshift: %j, %j", (inside, outside) => {
    expect(evaluate(inside, outside)).toBeNull();
  });

  test.each([
    [status(0, 0), status(0, 0)],
    [status(2, 1), status(2, 1)],
    [status(2), status(2)],
    ["", status(0, 0)],
  ])("fails if the command has no filter of its own: %j, %j", (inside, outside) => {
    expect(evaluate(inside, outside)).toMatch(/^there is no filter/);
  });
});

describe.runIf(isLinux)("runSelfTestOnce", () => {
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

  test("reuses a passed test until its key changes", async () => {
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

  test("does not reuse a failed test", async () => {
    const silent: Sandbox = { ...none, open: (policy, _, context) => none.open(policy, ["/bin/true"], context) };
    const probes = await runSelfTestOnce(silent, params());
    expect(existsSync(join(home, "self-test.json"))).toBe(false);
    expect(() => requirePassed(probes)).toThrow(/does not hold .*writes outside: could not be tested/);
  });

  test("requirePassed accepts passed probes", () => {
    expect(() => requirePassed([{ name: "user", ok: true, detail: "" }])).not.toThrow();
  });
});

describe("runConfined", () => {
  const limits = { timeoutMs: 10_000, graceMs: 500 };
  const command = { env: { PATH: "/usr/bin:/bin" }, cwd: "/", isIsolating: false } as const;

  test("passes the inputs and returns the status", async () => {
    const argv = ["/bin/sh", "-c", "cat <&3; cat <&4 >&2; echo up >&5; exit 7"] as const;
    const inputs = [Buffer.from("one"), Buffer.alloc(200_000, "2")];
    const result = await runConfined({ ...command, argv, inputs, statusPipes: 1 }, limits);
    expect(result).toMatchObject({ code: 7, stdout: "one", status: "up\n", hasLeftover: false });
    expect(result.stderr).toHaveLength(200_000);
  });

  test("ignores unread input and stops a command after the timeout", async () => {
    const inputs = [Buffer.alloc(1_000_000)];
    const unread = await runConfined({ ...command, argv: ["/bin/true"], inputs, statusPipes: 0 }, limits);
    expect(unread.code).toBe(0);
    const hung = { ...command, argv: ["/bin/sleep", "20"] as const, inputs: [], statusPipes: 0 };
    expect(await runConfined(hung, { ...limits, timeoutMs: 100 })).toMatchObject({ code: null });
  });

  test("throws if the program does not exist", async () => {
    const missing = { ...command, argv: ["/no/such/program"] as const, inputs: [], statusPipes: 0 };
    await expect(runConfined(missing, limits)).rejects.toThrow("ENOENT");
  });
});
