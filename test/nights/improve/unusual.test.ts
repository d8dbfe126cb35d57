import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { saveProject } from "../../../src/engine/commands/project-commands.ts";
import type { Task } from "../../../src/core/task/task.ts";
import type { Project } from "../../../src/ports/store.ts";
import { git } from "../../../src/testing/temp-repo.ts";
import { createUser, PROJECT_FILE, type User } from "../../support/cli-user.ts";
import { ALICE } from "../../support/night.ts";
import { NIGHTLY_DRAFT, openNightly, type Nightly, type NightlyOptions } from "../../support/nightly.ts";
import { expectNothingLeft } from "../../support/cleanup-checks.ts";

const TIMEOUT_MS = 200_000;
const TEST_TIMEOUT = { timeout: 240_000 };

let night: Nightly | null = null;
let user: User | null = null;

async function open(options: NightlyOptions = {}): Promise<Nightly> {
  night = await openNightly({ timeoutMs: TIMEOUT_MS, ...options });
  return night;
}

afterEach(async () => {
  await night?.close();
  await user?.cleanUp();
  night = null;
  user = null;
}, 60_000);

async function submitNight(at: Nightly): Promise<string> {
  const { id } = await at.submit({ ...NIGHTLY_DRAFT, improve: { category: "docs", only: true, scheduledAt: null } });
  return id;
}

const runNight = async (at: Nightly): Promise<Task> => at.settled(await submitNight(at));

async function updateProject(at: Nightly, changed: Partial<Project>): Promise<void> {
  const project = await at.wired.ports.store.projects.getProject("shop");
  if (project === null) throw new Error("the project is gone");
  await saveProject(at.wired.ports, { ...project, ...changed }, ALICE);
}

const UNUSUAL_PATH = "grüße/über sicht 🌙.txt";
const LFS_POINTER =
  "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";

describe("improve: unusual repository", TEST_TIMEOUT, () => {
  it("with trunk, a detached HEAD, a submodule, LFS pointers and unusual file names gets its change request", async () => {
    const opened = await open({
      files: {
        [UNUSUAL_PATH]: "eins\n",
        ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n",
        "big.bin": LFS_POINTER,
      },
      agent: `case $ROLE in
        analyze) found "Übersicht der Grüße" "${UNUSUAL_PATH}";;
        implement) test -d lib && test -z "$(ls -A lib)" && grep -q ^oid big.bin || exit 9
          echo zwei >> "${UNUSUAL_PATH}"; implemented x;;
        verify) verified;;
        describe) described "Übersicht der Grüße";;
      esac`,
    });
    const { repo, forge } = opened;
    await writeFile(join(repo.checkout, ".gitmodules"), '[submodule "lib"]\n\tpath = lib\n\turl = ../lib.git\n');
    const commit = await repo.git("rev-parse", "HEAD");
    await repo.git("update-index", "--add", "--cacheinfo", `160000,${commit},lib`);
    await repo.git("add", ".gitmodules");
    await repo.git("commit", "--quiet", "--message=submodule");
    await repo.git("branch", "--move", "trunk");
    await repo.git("push", "--quiet", "origin", "trunk");
    await git(repo.remote, "symbolic-ref", "HEAD", "refs/heads/trunk");
    await git(repo.remote, "update-ref", "-d", "refs/heads/main");
    await repo.git("checkout", "--quiet", "--detach");
    // Like a project that was registered by URL, without a configured default branch.
    await updateProject(opened, { defaultBranch: "HEAD" });
    const task = await runNight(opened);
    expect(task).toMatchObject({ state: "published", branch: "night-shift/ubersicht-der-gru-e" });
    expect(forge.changeRequests).toMatchObject([{ target: "trunk", branch: task.branch }]);
    const changed = await git(repo.remote, "diff", "-z", "--name-only", "trunk", task.branch ?? "");
    expect(changed.split("\0").filter((name) => name !== "")).toEqual([UNUSUAL_PATH]);
    const kept = await git(repo.remote, "ls-tree", task.branch ?? "", "lib", "big.bin", ".gitmodules");
    expect(kept).toBe(await git(repo.remote, "ls-tree", "trunk", "lib", "big.bin", ".gitmodules"));
    expect(kept).toContain(`160000 commit ${commit}`);
    await expectNothingLeft(opened, task);
  });

  it("without a commit is reported with what to do", async () => {
    const opened = await open();
    await git(opened.repo.remote, "update-ref", "-d", "refs/heads/main");
    const task = await runNight(opened);
    expect(task).toMatchObject({ status: "failed", state: "abandoned" });
    expect(task.reason).toMatch(/has no commits yet\. Make a first commit, then try again\./);
  });

  it("without the configured default branch is reported with the existing branches", async () => {
    const opened = await open({ settings: "default_branch: develop\n" });
    const task = await runNight(opened);
    expect(task).toMatchObject({ status: "failed", state: "abandoned" });
    expect(task.reason).toMatch(/has no branch "develop"\. It has 1: main\. Set `default_branch` to one of them\./);
  });
});

describe("improve: remote", TEST_TIMEOUT, () => {
  it("that does not respond is retried, and the message says what to do", async () => {
    const opened = await open();
    await updateProject(opened, { remote: "http://127.0.0.1:9/team/shop.git" });
    const id = await submitNight(opened);
    const task = await opened.until(id, ({ queuedFor }) => queuedFor !== null);
    expect(task).toMatchObject({ status: "queued", state: "analyzing", queuedFor: { kind: "remote" } });
    const [run] = await opened.runs(id);
    expect(run).toMatchObject({ outcome: "provider_down" });
    expect(run?.error).toMatch(/cannot be reached\. Check the network and the address/);
  });

  it("that is not a repository any more parks the task, and the message says what to do", async () => {
    const opened = await open();
    await updateProject(opened, { remote: join(opened.repo.path, "gone.git") });
    const task = await opened.until(await submitNight(opened), ({ queuedFor }) => queuedFor !== null);
    expect(task).toMatchObject({ status: "queued", queuedFor: { kind: "remote" }, items: { at: 0, tried: [] } });
    expect(task.queuedFor?.reason).toMatch(/gone\.git cannot be reached: it is not a git repository\. Check the path/);
  });
});

describe("improve: command line", TEST_TIMEOUT, () => {
  it("reports the available categories, and unknown variables in a template", async () => {
    user = await createUser();
    const result = await user.run("improve", "--category", "beauty");
    expect(result.code).toBe(2);
    for (const category of ["tests", "refactoring", "docs", "security", "performance"])
      expect(result.stderr).toContain(category);
    const prompts = join(user.repo.checkout, ".nightshift", "prompts");
    await mkdir(prompts, { recursive: true });
    await writeFile(join(prompts, "analyze.md"), "Look at {{project}} for {{resons}} of {{mine}}.\n");
    await writeFile(
      join(user.repo.checkout, "nightshift.yaml"),
      `${PROJECT_FILE(user.repo.path)}improve:\n  variables: { mine: ours }\n`,
    );
    await user.run("init", "--yes");
    const { stdout } = await user.run("doctor");
    expect(stdout).toMatch(/resons/);
    expect(stdout).not.toMatch(/\{\{(?:project|mine)\}\}/);
  });
});
