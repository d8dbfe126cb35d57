import { execFile } from "node:child_process";
import { afterEach, expect, it } from "vitest";
import { git } from "../../../src/testing/temp-repo.ts";
import { NIGHTLY_DRAFT, openNightly, type Nightly } from "../../support/nightly.ts";
import { expectNothingLeft, promptsOf } from "../../support/cleanup-checks.ts";

const FILES = 4_000;
const TIMEOUT_MS = 500_000;

let night: Nightly | null = null;

afterEach(async () => {
  await night?.close();
  night = null;
}, 200_000);

/** Adds all files in one commit on main, like an import of vendor code. */
async function importFiles(remote: string): Promise<void> {
  const parent = await git(remote, "rev-parse", "main");
  const lines = ["commit refs/heads/main", "committer A <a@example.com> 1700000000 +0000", "data 6\nimport"];
  lines.push(`from ${parent}`);
  for (let at = 0; at < FILES; at++) {
    const text = `export const v${at} = ${at};`;
    lines.push(`M 100644 inline big/d${at % 200}/file-${at}.ts\ndata ${text.length}\n${text}`);
  }
  await new Promise<void>((resolve, reject) => {
    const child = execFile("git", ["fast-import", "--quiet", "--force"], { cwd: remote }, (error) =>
      error === null ? resolve() : reject(error),
    );
    child.stdin?.end(`${lines.join("\n")}\n`);
  });
}

it(
  "improve: in a repository with very many files, prompts list only a few of them, and the change is published",
  { timeout: 600_000 },
  async () => {
    const opened = await openNightly({
      timeoutMs: TIMEOUT_MS,
      agent: `case $ROLE in
      analyze) report '{"outcome":"improvement_found","category":"docs","candidates":[{"rank":1,"title":"Tidy all of it","files":["big/"],"description":"d","rationale":"r"},{"rank":2,"title":"Say more","files":["notes.txt"],"description":"d","rationale":"r"}],"selected":1}';;
      implement) test "$(ls big/d199 | wc -l)" -eq ${FILES / 200} || exit 9; echo more >> notes.txt; implemented x;;
      verify) verified;;
      describe) described "Say more";;
    esac`,
    });
    night = opened;
    await importFiles(opened.repo.remote);
    const { id } = await opened.submit({
      ...NIGHTLY_DRAFT,
      improve: { category: "docs", only: true, scheduledAt: null },
    });
    const task = await opened.settled(id);
    expect(task).toMatchObject({ state: "published", branch: "night-shift/say-more" });
    expect(await git(opened.repo.remote, "diff", "--name-only", "main", task.branch ?? "")).toBe("notes.txt");
    const [analyze = ""] = await promptsOf(opened, id, "analyze");
    // All of the files were changed by the last commit, so their directory stands for them.
    expect(analyze).toMatch(/^.*\bbig\/$/m);
    expect(analyze).not.toContain("big/d0/file-0.ts");
    for (const role of ["analyze", "implement", "verify", "describe"])
      for (const prompt of await promptsOf(opened, id, role)) expect(prompt.length).toBeLessThan(40_000);
    // A dropped candidate is reported with a few of its files.
    expect(opened.forge.changeRequests[0]?.body).toMatch(/Tidy all of it/);
    expect(opened.forge.changeRequests[0]?.body.length).toBeLessThan(5_000);
    await expectNothingLeft(opened, task);
  },
);
