import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Client, TaskJson } from "../../http/client/client.ts";
import { createTempRepo, git, type TempRepo } from "../../testing/temp-repo.ts";
import type { CliContext } from "../context.ts";
import { findReviewCommand } from "./review-command.ts";

const BRANCHES = ["agent/greet", "agent/it's#1&$(touch${IFS}pwned)"];
let repo: TempRepo;
let cwd: string;

beforeEach(async () => {
  repo = await createTempRepo({ "README.md": "# Shop\n" });
  cwd = repo.checkout;
});
afterEach(() => repo.remove());

function find(branch: string, path = repo.checkout, remote = repo.remote): Promise<string | null> {
  const projects = [{ name: "shop", path, remote, default_branch: "main" }];
  const client = { call: async () => ({ projects }) } as unknown as Pick<Client, "call">;
  const artifacts = [{ type: "branch", label: branch, url: null, data: {} }];
  return findReviewCommand({ cwd, env: process.env } as unknown as CliContext, client, {
    project: "shop",
    artifacts,
  } as unknown as TaskJson);
}

/** Publishes a branch with one new file, as the engine does. */
async function publish(branch: string): Promise<void> {
  const other = join(repo.path, "other");
  await git(repo.path, "clone", "--quiet", repo.remote, other);
  await writeFile(join(other, "new.txt"), "new\n");
  await git(other, "add", "new.txt");
  await git(other, "commit", "--quiet", "--message=work");
  await git(other, "push", "--quiet", "origin", `HEAD:refs/heads/${branch}`);
}

const run = async (command: string | null): Promise<string> =>
  (await promisify(execFile)("bash", ["-c", command ?? "false"], { cwd })).stdout;

it.each(BRANCHES)("review command: it shows the change of %s and executes nothing else", async (branch) => {
  await publish(branch);
  await repo.commit({ "later.txt": "a later commit on main\n" });
  const diff = await run(await find(branch));
  expect(diff).toMatch(/^\+new$/m);
  expect(diff).not.toContain("later.txt");
  expect(existsSync(join(repo.checkout, "pwned"))).toBe(false);
});

it("review command: from another folder it names the checkout", async () => {
  await publish("agent/greet");
  const moved = join(repo.path, "check out's");
  await rename(repo.checkout, moved);
  cwd = repo.path;
  const command = await find("agent/greet", moved);
  expect(command).toContain("git -C ");
  expect(await run(command)).toContain("+new");
});

it("review command: in a repository without a remote nothing is fetched", async () => {
  await repo.git("remote", "remove", "origin");
  await repo.git("checkout", "--quiet", "-b", "agent/greet");
  const command = await find("agent/greet", repo.checkout, repo.checkout);
  expect(command).toBe("git diff main...agent/greet");
  expect(await run(command)).toBe("");
});

it("review command: there is none without a checkout or for a path that a terminal does not show", async () => {
  const hostile = join(repo.path, "a\u001b'\\'b");
  await rename(repo.checkout, hostile);
  cwd = repo.path;
  expect(await find("agent/greet", hostile)).toBeNull();
  expect(await find("agent/greet", join(repo.path, "gone"))).toBeNull();
});
