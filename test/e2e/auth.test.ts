import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { TaskJson } from "../../src/http/client/client.ts";
import { BIN, createUser, PROJECT_FILE, waitForExit, type CliResult, type User } from "../support/cli-user.ts";

// The last test calls about ten commands.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const FIRST = "sk-ant-test-0123456789abcdefgh";
const SECOND = "sk-ant-test-9876543210zyxwvuts";

let user: User;
beforeAll(async () => {
  user = await createUser();
  const bin = join(user.repo.path, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "claude"), "#!/bin/sh\necho '99.0.0 (Claude Code)'\n");
  chmodSync(join(bin, "claude"), 0o755);
});
afterAll(() => user.cleanUp());

/** Runs a command with a `claude` on its PATH that only prints its version. */
function run(args: readonly string[], input = ""): Promise<CliResult> {
  const env = {
    ...user.env,
    PATH: `${user.repo.path}/bin:${user.env["PATH"]}`,
    GITLAB_TOKEN: "glpat-0123456789abcdef",
  };
  const child = spawn(process.execPath, [BIN, ...args], { cwd: user.repo.checkout, env, stdio: "pipe" });
  child.stdin.end(input);
  return waitForExit(child);
}

async function json<T>(...args: readonly string[]): Promise<T> {
  const { stdout } = await run([...args, "--json"]);
  return JSON.parse(stdout) as T;
}

async function claude(): Promise<{ readonly usable: boolean; readonly problem: string | null } | undefined> {
  const agents = await json<{ name: string; usable: boolean; problem: string | null }[]>("agents");
  return agents.find(({ name }) => name === "claude-code");
}

describe("CLI: auth", () => {
  test("a key is read from stdin, stored in a private file, and never printed", async () => {
    const added = await run(["auth", "add", "ANTHROPIC_API_KEY"], `${FIRST}\n`);
    expect(added).toMatchObject({ code: 0, stderr: "Next: nightshift doctor --no-run\n" });
    const file = join(user.home, "auth/keys.json");
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ ANTHROPIC_API_KEY: { value: FIRST } });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const listed = await run(["auth", "list"]);
    expect(listed.stdout).toMatch(/ANTHROPIC_API_KEY +stored +…efgh/);
    expect(listed.stderr).toContain("No daemon is running");
    for (const text of [added.stdout, listed.stdout]) expect(text).not.toContain(FIRST);
    expect(await run(["auth", "remove", "ANTHROPIC_API_KEY"])).toMatchObject({ code: 0 });
    expect((await run(["auth", "remove", "ANTHROPIC_API_KEY"])).stderr).toContain("auth list");
  });

  test.each([
    ["a lower-case name", "anthropic", FIRST, "capital letters"],
    ["the key as the name", FIRST, "", "capital letters"],
    ["a variable of the daemon", "PATH", FIRST, "not a key"],
    ["an empty value", "OPENAI_API_KEY", "\n", "is empty"],
    ["two lines", "OPENAI_API_KEY", "one\ntwo\n", "white space"],
  ])("%s is refused without repeating the value", async (_, name, input, message) => {
    const result = await run(["auth", "add", name], input);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain(message);
    expect(result.stdout + result.stderr).not.toContain(FIRST);
    const asJson = await run(["auth", "add", name, "--json"], input);
    expect(JSON.parse(asJson.stdout)).toMatchObject({ error: { exit: 2 } });
  });

  test("a running daemon uses a new key without a restart, redacts it, and lists its own environment too", async () => {
    writeFileSync(
      join(user.repo.checkout, "nightshift.yaml"),
      PROJECT_FILE(user.repo.path).concat(
        "forge: { kind: gitlab, url: 'http://127.0.0.1:9', project: a/b, token_env: GITLAB_TOKEN }\n",
      ),
    );
    await run(["start"]);
    expect(await run(["trust", "--yes"])).toMatchObject({ code: 0 });
    expect(await claude()).toMatchObject({ usable: false, problem: expect.stringContaining("nightshift auth add") });
    await run(["auth", "add", "ANTHROPIC_API_KEY"], SECOND);
    expect(await claude()).toMatchObject({ usable: true, problem: null });
    await run(["auth", "add", "GITLAB_TOKEN"], "glpat-fedcba9876543210");
    expect(await json("auth", "list")).toEqual([
      expect.objectContaining({
        name: "ANTHROPIC_API_KEY",
        source: "stored",
        ending: "vuts",
        replaces_environment: false,
      }),
      expect.objectContaining({ name: "GITLAB_TOKEN", source: "stored", ending: "3210", replaces_environment: true }),
    ]);
    await run(["auth", "remove", "GITLAB_TOKEN"]);
    expect(await json("auth", "list")).toContainEqual(
      expect.objectContaining({ name: "GITLAB_TOKEN", source: "environment", ending: "cdef" }),
    );
    const task = await json<TaskJson>("submit", "--pipeline", "chore", `Use the key ${SECOND}`);
    expect(task.description).toBe("Use the key [redacted: ANTHROPIC_API_KEY]");
    await run(["kill", task.id]);
  });
});
