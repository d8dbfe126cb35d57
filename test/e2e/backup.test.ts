import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { TaskJson } from "../../src/http/client/client.ts";
import { git } from "../../src/testing/temp-repo.ts";
import { BIN, createUser, waitForExit, type CliResult, type User } from "../support/cli-user.ts";

// Each test calls about ten commands.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const KEY = "glpat-0123456789abcdefgh";

let user: User;
let file: string;
let task: TaskJson;

const projectFile = (check: string): string => `project: shop
agent: mine
agents:
  mine: { kind: command, command: ["${user.repo.path}/agent.sh"] }
repair_attempts: 0
checks:
  content: { command: "${check}" }
`;

function runIn(home: string, args: readonly string[], input = ""): Promise<CliResult> {
  const env = { ...user.env, NIGHTSHIFT_HOME: home };
  const child = spawn(process.execPath, [BIN, ...args], { cwd: user.repo.checkout, env, stdio: "pipe" });
  child.stdin.end(input);
  return waitForExit(child);
}

async function jsonIn<T>(home: string, ...args: readonly string[]): Promise<T> {
  const result = await runIn(home, [...args, "--json"]);
  return JSON.parse(result.stdout) as T;
}

beforeAll(async () => {
  user = await createUser();
  file = join(user.repo.path, "backup.gz");
  writeFileSync(join(user.repo.checkout, "nightshift.yaml"), projectFile("test ! -e hello.txt"));
  await runIn(user.home, ["trust", "--yes"]);
  await runIn(user.home, ["token", "add", "bob", "--may", "submit"]);
  await runIn(user.home, ["auth", "add", "GITLAB_TOKEN"], KEY);
  mkdirSync(join(user.home, "prompts"));
  writeFileSync(join(user.home, "prompts/mine.md"), "Be brief.\n");
  // The check refuses the change, so the commit is published nowhere.
  task = await jsonIn<TaskJson>(user.home, "submit", "--pipeline", "chore", "--wait", "Write hello.txt");
});
afterAll(async () => {
  await runIn(join(user.repo.path, "restored"), ["stop", "--force"]);
  await user.cleanUp();
});

describe("CLI: backup and restore", () => {
  test("a backup is written while the daemon runs, is private, and says what it leaves out", async () => {
    expect(task).toMatchObject({ status: "failed" });
    const made = await runIn(user.home, ["backup", file]);
    expect(made).toMatchObject({ code: 0 });
    expect(made.stdout).toMatch(/Saved 1 task and \d+ files to .*backup\.gz/);
    expect(made.stdout).toContain("mirrors of repositories");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(user.repo.path).filter((name) => name.includes("partial"))).toEqual([]);
  });

  test("a restored home has the same tasks, transcripts, tokens, keys and files, and continues unpublished work", async () => {
    const home = join(user.repo.path, "restored");
    const restored = await runIn(home, ["restore", file]);
    expect(restored).toMatchObject({ code: 0 });
    expect(restored.stdout).toContain("Restored 1 task");
    expect(readFileSync(join(home, "config.yaml"), "utf8")).toBe(readFileSync(join(user.home, "config.yaml"), "utf8"));
    expect(readFileSync(join(home, "prompts/mine.md"), "utf8")).toBe("Be brief.\n");
    expect(statSync(join(home, "auth/keys.json")).mode & 0o777).toBe(0o600);
    for (const name of ["homes", "s", "before-restore"]) expect(existsSync(join(home, name)), name).toBe(false);
    for (const args of [
      ["show", task.id],
      ["display", task.id],
      ["diff", task.id],
      ["token", "list"],
      ["auth", "list"],
    ])
      expect(await jsonIn(home, ...args), args.join(" ")).toEqual(await jsonIn(user.home, ...args));
    // The original must not use the workspace at the same time.
    await runIn(user.home, ["stop"]);
    writeFileSync(join(user.repo.checkout, "nightshift.yaml"), projectFile("test -s README.md"));
    expect(await runIn(home, ["trust", "--yes"])).toMatchObject({ code: 0 });
    const done = await jsonIn<TaskJson>(home, "retry", task.id, "--from", "checking", "--wait");
    expect(done).toMatchObject({ status: "succeeded" });
    expect(await git(user.repo.remote, "show", `${done.branch}:hello.txt`)).toBe("hello");
  });
});
