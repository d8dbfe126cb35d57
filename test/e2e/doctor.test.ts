import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BIN, createUser, PROJECT_FILE, type User } from "../support/cli-user.ts";

interface Finding {
  readonly name: string;
  readonly ok: string;
  readonly detail: string;
  readonly fix: string | null;
}

const SECRETS = "secrets: { SHOP_KEY: { roles: [implement] }, OTHER_KEY: { roles: [implement] } }\n";

let user: User;

beforeAll(async () => {
  user = await createUser();
  await writeFile(join(user.repo.checkout, "nightshift.yaml"), PROJECT_FILE(user.repo.path) + SECRETS);
});
afterAll(() => user.cleanUp());

/** Runs a command in a shell that has these variables in addition. */
async function runWith(env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<string> {
  const options = { cwd: user.repo.checkout, env: { ...user.env, ...env } };
  const { stdout } = await promisify(execFile)(process.execPath, [BIN, ...args], options).catch(
    (error: { readonly stdout: string }) => error,
  );
  return stdout;
}

async function listFindings(env: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>> {
  const findings = JSON.parse(await runWith(env, "doctor", "--json")) as readonly Finding[];
  return Object.fromEntries(findings.map(({ name, detail }) => [name, detail]));
}

// Each command starts programs and a sandbox test, which takes long on a busy machine.
describe("doctor", { timeout: 180_000 }, () => {
  test("without a daemon, it describes this shell and says so", async () => {
    const found = await listFindings({ SHOP_KEY: "x" });
    expect(found["secrets"]).toBe("OTHER_KEY is granted to implement, but is not set");
    expect(found["daemon"]).toContain("describes this shell");
  });

  test("with a daemon, it reports the variables of the daemon and not those of this shell, and no values", async () => {
    await runWith({ OTHER_KEY: "planted-value-of-the-daemon" }, "start");
    const found = await listFindings({ SHOP_KEY: "x" });
    expect(found["secrets"]).toBe("SHOP_KEY is granted to implement, but is not set");
    expect(found["daemon"]).toContain("What follows is what it sees.");
    expect(JSON.stringify(found)).not.toContain("planted-value");
  });

  test("a project that is not registered is not ready, and doctor says what to run", async () => {
    expect(await runWith({}, "doctor")).toMatch(/Not ready for the night:\n {2}project: .+\n {4}→ nightshift init/);
  });

  test("trust accepts, and then runs the checks on the default branch and shows a check that cannot run", async () => {
    const file = PROJECT_FILE(user.repo.path) + SECRETS;
    await writeFile(
      join(user.repo.checkout, "nightshift.yaml"),
      file.replace("checks:\n", "checks:\n  missing: { command: no-such-program-here }\n"),
    );
    const trusted = JSON.parse(await runWith({}, "trust", "--yes", "--json")) as {
      readonly is_accepted: boolean;
      readonly findings: readonly Finding[];
    };
    expect(trusted.is_accepted).toBe(true);
    expect(trusted.findings).toMatchObject([
      {
        name: "check missing",
        ok: "no",
        detail: expect.stringMatching(/could not run on main[^]*no-such-program-here: /),
      },
      { name: "check content", ok: "yes", detail: expect.stringContaining("passed on main") },
      { name: "checks", ok: "warn", detail: expect.stringContaining("1 passed, 1 could not run") },
    ]);
    await writeFile(join(user.repo.checkout, "nightshift.yaml"), file);
  });

  test("a trusted project without a schedule is not ready, and doctor names only what is missing", async () => {
    await runWith({}, "trust", "--yes", "--no-run");
    const text = await runWith({}, "doctor");
    expect(text).toMatch(/✓ check content +passed on main/);
    expect(text).toMatch(/Not ready for the night:\n/);
    expect(text).toMatch(/\n {2}schedule: none\n {4}→ set improve\.schedule/);
    expect(text).not.toMatch(/\n {2}(trust|agent|push|daemon|checks): /);
  });

  test("an invalid nightshift.yaml is reported once, and nothing that depends on it is reported as missing", async () => {
    const file = join(user.repo.checkout, "nightshift.yaml");
    const valid = await readFile(file, "utf8");
    await writeFile(file, "checks: [test]\n");
    const text = await runWith({}, "doctor");
    await writeFile(file, valid);
    expect(text.match(/^✗ .+/gm)).toEqual([expect.stringMatching(/nightshift\.yaml .+: checks: found a list/)]);
    expect(text).toMatch(
      /Not ready for the night:\n {2}settings: .+nightshift\.yaml:1:9: .+\n {4}→ correct these lines\n$/,
    );
  });
});
