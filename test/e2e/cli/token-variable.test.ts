import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BIN, createUser, PROJECT_FILE, waitForExit, type CliResult, type User } from "../../support/cli-user.ts";

let user: User;
let token: string;

beforeAll(async () => {
  user = await createUser();
  await writeFile(join(user.repo.checkout, "nightshift.yaml"), PROJECT_FILE(user.repo.path));
  // This command starts the daemon.
  await withToken("not-a-token", "init", "--yes", "--no-run");
  await user.run("init", "--yes", "--no-run");
  token = (await user.run("token", "add", "bob", "--may", "submit")).stdout.trim();
}, 60_000);

afterAll(() => user.cleanUp());

function withToken(value: string, ...args: readonly string[]): Promise<CliResult> {
  const env = { ...user.env, NIGHTSHIFT_TOKEN: value };
  return waitForExit(
    spawn(process.execPath, [BIN, ...args], { cwd: user.repo.checkout, env, stdio: ["ignore", "pipe", "pipe"] }),
  );
}

describe("NIGHTSHIFT_TOKEN", () => {
  test("lets a command act as the person whose token it is, with their rights only", async () => {
    const submitted = await withToken(token, "submit", "--pipeline", "chore", "--json", "Work SLOWLY");
    const { id } = JSON.parse(submitted.stdout) as { readonly id: string };
    const shown = await withToken(token, "show", id, "--json");
    expect(JSON.parse(shown.stdout)).toMatchObject({ submitted_by: "bob" });
    const refused = await withToken(token, "token", "list");
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("admin") });
    const owner = await user.run("token", "list");
    expect(owner).toMatchObject({ code: 0, stdout: expect.stringContaining("bob") });
  });

  test("is refused with a sentence that names the variable if the token is unknown", async () => {
    const refused = await withToken("not-a-token", "queue");
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toMatch(/Missing or unknown token\.[^]*NIGHTSHIFT_TOKEN/);
  });

  test("is refused with a sentence if it cannot be a token", async () => {
    const refused = await withToken("one\ntwo", "queue");
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("NIGHTSHIFT_TOKEN contains characters") });
    expect(refused.stderr).not.toContain("two");
  });

  test("counts as not set if it is empty", async () => {
    expect(await withToken(" ", "token", "list")).toMatchObject({ code: 0 });
  });

  test.skipIf(process.platform !== "linux")("does not reach the daemon that a command starts", () => {
    const { pid } = JSON.parse(readFileSync(join(user.home, "daemon.json"), "utf8")) as { readonly pid: number };
    expect(readFileSync(`/proc/${pid}/environ`, "utf8")).not.toContain("NIGHTSHIFT_TOKEN");
  });
});
