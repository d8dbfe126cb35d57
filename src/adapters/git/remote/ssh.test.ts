import { chmod, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Workspaces } from "../../../ports/workspace.ts";
import { fakeSsh } from "../../../testing/fake-ssh.ts";
import { createTempRepo, git, writeFiles, type TempRepo } from "../../../testing/temp-repo.ts";
import { createGitWorkspaces } from "../workspaces.ts";

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const [project, task, name, branch] = ["shop", "task_ssh", "run_ssh", "night-shift/x"];
const SOCKET = "/run/of-nobody/agent.sock";

describe("git over ssh", { timeout: 120_000 }, () => {
  let repo: TempRepo;
  let workspaces: Workspaces;
  let calls: string;
  const before = { ...process.env };

  beforeEach(async () => {
    repo = await createTempRepo({ "a.txt": "one\n" });
    const bin = join(repo.path, "bin");
    calls = join(repo.path, "calls");
    await writeFiles(repo.path, { ".gitconfig": "" });
    await fakeSsh(bin, calls);
    const path = [bin, process.env["PATH"]].join(delimiter);
    process.env = { ...before, PATH: path, HOME: repo.path, SSH_AUTH_SOCK: SOCKET };
    for (const variable of ["GIT_CONFIG_GLOBAL", "GIT_SSH", "GIT_SSH_COMMAND"]) delete process.env[variable];
    const places = { mirrorsDir: join(repo.path, "mirrors"), workspacesDir: join(repo.path, "workspaces") };
    workspaces = createGitWorkspaces({ ...places, identity: { name: "N", email: "n@example.com" }, log });
  });
  afterEach(async () => {
    process.env = { ...before };
    await repo.remove();
  });

  const sync = (remote: string) => workspaces.sync({ project, remote, defaultBranch: null, credentials: null });

  test.each(["ssh://git@forge.example:2222", "git@forge.example:"])("fetches and pushes from %s", async (host) => {
    const remote = `${host}${repo.remote}`;
    const { commit } = await sync(remote);
    expect(commit).toBe(await git(repo.remote, "rev-parse", "main"));
    const { path } = await workspaces.open({ project, task, name, commit, branch, copy: null });
    await writeFiles(path, { "a.txt": "two\n" });
    const made = (await workspaces.collect({ project, task, name, message: "work", at: 0 })).commit ?? "";
    await workspaces.push({ project, task, remote, commit: made, branch, credentials: null });
    expect(await git(repo.remote, "rev-parse", branch)).toBe(made);
    const lines = (await readFile(calls, "utf8")).trim().split("\n");
    for (const verb of ["git-upload-pack", "git-receive-pack"])
      expect(lines.filter((line) => line.includes(verb)).length).toBeGreaterThan(0);
    // Every call uses the user's ssh agent and batch mode.
    for (const line of lines) {
      expect(line).toContain(`sock=${SOCKET} `);
      expect(line).toContain("askpass=false/never ");
      expect(line).toContain("-o BatchMode=yes");
    }
  });

  test("keeps the user's own ssh command and appends our options", async () => {
    const own = join(repo.path, "own-ssh");
    await writeFile(own, '#!/bin/sh\necho "own sock= $*" >> "$HOME/own-calls"\nexec ssh "$@"\n');
    await chmod(own, 0o755);
    await writeFiles(repo.path, { ".gitconfig": `[core]\n\tsshCommand = ${own} -i key\n` });
    await sync(`git@forge.example:${repo.remote}`);
    expect(await readFile(join(repo.path, "own-calls"), "utf8")).toMatch(/-i key -o BatchMode=yes/);
  });

  test.each([
    ["an unknown host key", "unknown-host", "credentials", /host key of .* is unknown/, /git ls-remote/],
    ["a changed host key", "changed-host", "credentials", /different host key/, /ssh-keygen -R/],
    ["a rejected key", "refused-host", "credentials", /cannot answer prompts/, /SSH_AUTH_SOCK/],
    ["an unknown host", "missing-host", "unreachable", /cannot be reached/, /network/],
    ["a closed connection", "closed-host", "unreachable", /cannot be reached/, /network/],
  ] as const)("reports %s", async (...one) => {
    const [, host, trouble, message, hint] = one;
    await expect(sync(`git@${host}:${repo.remote}`)).rejects.toMatchObject({
      name: "RemoteError",
      trouble,
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    });
  });
});
