import { afterEach, describe, expect, it } from "vitest";
import { git } from "../../../src/testing/temp-repo.ts";
import { executeAtForge, TOKEN, type ForgeRun } from "../../support/staged-forge.ts";

let opened: ForgeRun | null = null;

afterEach(async () => {
  await opened?.close();
  opened = null;
});

async function execute(script: string, kind: "github" | "gitlab" = "github"): Promise<ForgeRun> {
  return (opened = await executeAtForge(script, { kind }));
}

const COMMIT = `echo "# Parsers" > reports/parsers.md; git add reports; git commit -qm "Add a report"
BRANCH=$(git branch --show-current)`;

describe("pushing from a staged task whose plan needs git", { timeout: 240_000 }, () => {
  it.each(["github", "gitlab"] as const)(
    "works for the task's branch at %s, without the token inside",
    async (kind) => {
      const { task, forge, report } = await execute(
        `${COMMIT}
git fetch -q origin && git push -q origin HEAD && git push -q origin "HEAD:refs/heads/$BRANCH-2" && echo "pushed $BRANCH"
env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr '\\0' '\\n'; git config --list; ls /run/nightshift
grep -rs 'planted-[t]oken' ~ /run /etc /tmp`,
        kind,
      );
      expect(report).toContain(`pushed ${task.branch}`);
      expect(await git(forge.bareDir, "log", "-1", "--format=%s", `refs/heads/${task.branch}-2`)).toBe("Add a report");
      expect(report).not.toContain(TOKEN);
      expect(report).toContain("forge.sock");
      expect(report).not.toMatch(/gateway\.sock|egress\.sock/);
    },
  );

  it("works for a branch with more objects than git sends at once", async () => {
    const { task, forge, report } = await execute(
      `head -c 3000000 /dev/urandom > reports/data.bin; git add reports; git commit -qm large; git push -q origin HEAD && echo pushed`,
    );
    expect(report).toBe("pushed\n");
    expect(await git(forge.bareDir, "cat-file", "-s", `refs/heads/${task.branch}:reports/data.bin`)).toBe("3000000");
  });

  it("is refused for every other branch, for deletions, tags and push options, and git says why", async () => {
    const { task, forge, report, denied } = await execute(`${COMMIT}
git push -q origin HEAD
for what in HEAD:main HEAD:refs/heads/other +HEAD:main HEAD:refs/tags/v1 ":$BRANCH"; do git push -q origin "$what"; echo "status $?"; done
git push -q -o merge_request.create origin HEAD:"$BRANCH-3"; echo "status $?"`);
    expect(report.match(/^status .*$/gm)).toEqual(Array.from({ length: 6 }, () => expect.stringMatching(/^status 1/)));
    expect(report).toContain(`[remote rejected] HEAD -> main (only the branch ${task.branch}, and branches`);
    expect(report).toContain("(branches cannot be deleted)");
    const branches = await git(forge.bareDir, "for-each-ref", "--format=%(refname)");
    expect(branches.split("\n").toSorted()).toEqual([`refs/heads/${task.branch}`, "refs/heads/main"]);
    expect(await git(forge.bareDir, "log", "-1", "--format=%s", "main")).toBe("first");
    expect(denied).toContain("push refs/heads/main");
  });

  it("is refused for other projects and other requests, whatever credentials the request brings", async () => {
    const { forge, report, denied } = await execute(`${COMMIT}
git ls-remote http://127.0.0.1:3130/team/other.git; echo "status $?"
git push -q http://127.0.0.1:3130/team/shop/../other.git HEAD; echo "status $?"
git push -q https://github.com/team/other.git HEAD; echo "status $?"
curl -s -H 'Authorization: Basic eDp5' -H 'Sudo: root' 'http://127.0.0.1:3130/team/shop.git/info/refs?service=git-upload-pack' | head -c 60 | tr -d '\\0'
curl -s http://127.0.0.1:3130/team/shop.git/info/lfs/objects/batch -d '{}'
curl -s 'http://127.0.0.1:3130/team/shop.git/info/refs?service=git-upload-pack&x=1'
curl -s -X DELETE http://127.0.0.1:3130/team/shop.git`);
    expect(report.match(/^status .*$/gm)).toEqual(["status 128", "status 128", "status 128"]);
    expect(report).toContain("remote: denied: git access to team/other; this run can only reach team/shop");
    expect(report).toContain("001e# service=git-upload-pack");
    expect(denied).toEqual(
      expect.arrayContaining([
        "git team/other",
        "POST /team/shop.git/info/lfs/objects/batch",
        "GET /team/shop.git/info/refs",
        "DELETE /team/shop.git",
      ]),
    );
    const [accepted, ...others] = forge.requests.filter(({ headers }) => headers["user-agent"]?.includes("curl"));
    expect(others).toEqual([]);
    const login = Buffer.from(`x-access-token:${TOKEN}`).toString("base64");
    expect(accepted?.headers).toMatchObject({ authorization: `Basic ${login}` });
    expect(accepted?.headers["sudo"]).toBeUndefined();
  });
});
