import { chmod, mkdir, rename, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTempRepo, git, type TempRepo } from "../../testing/temp-repo.ts";
import { findFetchedRefs, findUnseenWork, type ProjectCheckout, type UnseenWork } from "./detect-checkout.ts";

let repo: TempRepo;
let project: ProjectCheckout;

beforeEach(async () => {
  repo = await createTempRepo({ "README.md": "# Shop\n", "src/a.txt": "a\n", "c.x": "c\n" });
  project = { path: repo.checkout, remote: repo.remote, defaultBranch: "main" };
});
afterEach(() => repo.remove());

const inCheckout = (...args: string[]): Promise<string> => git(repo.checkout, ...args);
const write = (name: string, text: string): Promise<void> => writeFile(join(repo.checkout, name), text);

async function commitFile(name: string): Promise<void> {
  await write(name, name);
  await inCheckout("add", name);
  await inCheckout("commit", "--quiet", "--message", name);
}

const look = (signal = new AbortController().signal): Promise<UnseenWork | null> =>
  findUnseenWork(project, process.env, signal);

describe("unseen work in a checkout", () => {
  it("is nothing after a clone", async () => {
    const commit = (await inCheckout("rev-parse", "HEAD")).slice(0, 10);
    expect(await look()).toEqual({ base: "origin/main", commit, branch: "main", commits: 0, files: 0 });
  });

  it("counts changed, staged, deleted and untracked files once, and leaves out ignored ones", async () => {
    await write("README.md", "changed");
    await inCheckout("rm", "--quiet", "src/a.txt");
    await write("new.txt", "new");
    await inCheckout("add", "new.txt");
    await write("new.txt", "changed after it was staged");
    await write(".gitignore", "ignored.txt\n");
    await write("ignored.txt", "");
    expect(await look()).toMatchObject({ files: 4, commits: 0 });
  });

  it("counts commits that were not pushed, and those of another branch", async () => {
    await commitFile("one.txt");
    expect(await look()).toMatchObject({ branch: "main", commits: 1, files: 0 });
    await inCheckout("checkout", "--quiet", "-b", "feature/x");
    await commitFile("two.txt");
    await inCheckout("push", "--quiet", "origin", "feature/x");
    expect(await look()).toMatchObject({ base: "origin/main", branch: "feature/x", commits: 2 });
    await inCheckout("checkout", "--quiet", "--detach");
    expect(await look()).toMatchObject({ branch: null, commits: 2 });
  });

  it("a repository without a remote starts tasks from its own branch", async () => {
    await inCheckout("remote", "remove", "origin");
    project = { ...project, remote: repo.checkout };
    await write("README.md", "changed");
    expect(await look()).toMatchObject({ base: "main", branch: "main", commits: 0, files: 1 });
  });

  it("recognises a remote by its URL without credentials, whatever its name", async () => {
    await inCheckout("remote", "rename", "origin", "upstream");
    await inCheckout("remote", "set-url", "upstream", "https://ada:secret@example.com/shop.git");
    project = { ...project, remote: "https://example.com/shop.git" };
    expect(await look()).toMatchObject({ base: "upstream/main" });
  });

  it("is unknown if the checkout has another remote now, is gone, or the time is over", async () => {
    expect(await look(AbortSignal.abort())).toBeNull();
    await inCheckout("remote", "set-url", "origin", "https://example.com/other.git");
    expect(await look()).toBeNull();
    await rename(repo.checkout, `${repo.checkout}-moved`);
    expect(await look()).toBeNull();
    await rename(`${repo.checkout}-moved`, repo.checkout);
  });

  it("runs no program that the repository configures", async () => {
    const ran = join(repo.path, "ran");
    const program = join(repo.path, "program.sh");
    await writeFile(program, `#!/bin/sh\necho "$@" >> '${ran}'\ncat\n`);
    await chmod(program, 0o755);
    for (const folder of ["hooks", "info"]) await mkdir(join(repo.checkout, ".git", folder), { recursive: true });
    await writeFile(join(repo.checkout, ".git/hooks/post-index-change"), `#!/bin/sh\necho hook >> '${ran}'\n`);
    await chmod(join(repo.checkout, ".git/hooks/post-index-change"), 0o755);
    for (const name of ["plain", "a=b", "A.B c"]) {
      await inCheckout("config", `filter.${name}.clean`, program);
      await inCheckout("config", `filter.${name}.required`, "true");
    }
    await inCheckout("config", "filter.long.process", program);
    await inCheckout("config", "core.fsmonitor", program);
    await write(".git/info/attributes", "*.md filter=a=b\n*.txt filter=plain\n*.x filter=long\n");
    // git reads a changed file only if it has the same size.
    await write("README.md", "# Show\n");
    await write("src/a.txt", "b\n");
    await write("c.x", "d\n");
    expect(await look()).toMatchObject({ files: 3 });
    expect(existsSync(ran)).toBe(false);
    // Proves that git would have run it.
    await inCheckout("-c", "core.fsmonitor=false", "status").catch(() => undefined);
    expect(existsSync(ran)).toBe(true);
  });
});

describe("refs of a published branch", () => {
  it("are those of the remote", async () => {
    expect(await findFetchedRefs(project, process.env, "agent/x")).toEqual({
      remote: "origin",
      base: "origin/main",
      branch: "origin/agent/x",
    });
  });

  it("are local ones in a repository without a remote", async () => {
    await inCheckout("remote", "remove", "origin");
    expect(await findFetchedRefs({ ...project, remote: repo.checkout }, process.env, "agent/x")).toEqual({
      remote: null,
      base: "main",
      branch: "agent/x",
    });
  });

  it("are unknown if a fetch gets other branches only", async () => {
    await inCheckout("config", "remote.origin.fetch", "+refs/heads/main:refs/remotes/origin/main");
    expect(await findFetchedRefs(project, process.env, "agent/x")).toBeNull();
  });
});
