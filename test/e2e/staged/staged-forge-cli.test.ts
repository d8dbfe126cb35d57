import { afterEach, describe, expect, it } from "vitest";
import { FAKE_GLAB } from "../../support/fake-glab.ts";
import { executeAtForge, TOKEN, type ForgeRun, type ForgeRunOptions } from "../../support/staged-forge.ts";
import { HAS_GH } from "../../support/staged-night.ts";

const ISSUE = { number: 7, title: "Slow parser", body: "It takes a minute." };
const PUSH = `echo "# Parsers" > reports/parsers.md; git add reports; git commit -qm "Add a report"
BRANCH=$(git branch --show-current); git push -q origin HEAD`;
/** Shows everything inside in which the token could be. */
const SEARCH = `env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr '\\0' '\\n'; git config --list
grep -rs 'planted-[t]oken' ~ /run /etc /tmp .`;

let opened: ForgeRun | null = null;

afterEach(async () => {
  await opened?.close();
  opened = null;
});

async function run(script: string, options?: ForgeRunOptions): Promise<ForgeRun> {
  return (opened = await executeAtForge(script, options));
}

/** Runs commands that must fail, and ends the line of each with its status. */
function failing(commands: readonly string[]): string {
  return commands.map((command) => `${command} 2>&1 | tr '\\n' ' '; echo`).join("\n");
}

describe.skipIf(!HAS_GH)("GitHub's CLI in a staged task whose plan needs git", { timeout: 240_000 }, () => {
  it("opens a pull request for the task's branch and reads the project, without the token inside", async () => {
    const { report, forge, task, denied } = await run(
      `${PUSH}
gh pr create --head "$BRANCH" --base main --title "Add a report" --body "It compares parsers." && echo opened
gh pr view 1 --json title --jq .title; gh pr view "$BRANCH" --json body --jq .body; gh pr list; gh pr checks 1
gh issue list; gh issue view 7; gh issue view 7 --comments; gh repo view --json description --jq .description
gh api repos/{owner}/{repo}/pulls --jq '.[0].head.ref'; gh api graphql -f query='{viewer{login}}'; gh auth status
${SEARCH}`,
      { issues: [ISSUE] },
    );
    expect(report).toMatch(
      /\/team\/shop\/pull\/1\nopened\nAdd a report\nIt compares parsers\.\n1\tAdd a report\t[^]*Slow parser/,
    );
    expect(report).toMatch(/It takes a minute\.\na shop\nagent\/.*\n\{"data":\{"viewer":\{"login":"nightshift"\}\}\}/);
    expect(report).toContain("Logged in to 127.0.0.1 as nightshift");
    expect(forge.changeRequests).toMatchObject([
      { title: "Add a report", body: "It compares parsers.", branch: task.branch, target: "main" },
    ]);
    expect(denied).toEqual([]);
    expect(report).not.toContain(TOKEN);
    expect(
      forge.requests.filter(
        ({ headers }) => !headers.authorization?.includes(TOKEN) && headers["user-agent"]?.includes("GitHub CLI"),
      ),
    ).toEqual([]);
  });

  it("cannot merge, approve, comment, change settings, or reach another project", async () => {
    const { report, forge, denied } = await run(`${PUSH}
gh pr create --head "$BRANCH" --base main --title "Add a report" --body x
${failing([
  "gh pr merge 1 --squash",
  "gh pr review 1 --approve",
  "gh pr comment 1 --body x",
  "gh pr close 1",
  "gh pr edit 1 --title x",
  "gh issue create --title x --body x",
  "gh release create v1 --notes x",
  "gh workflow run ci.yml",
  "gh secret set NAME --body x",
  "gh secret list",
  "gh repo edit --visibility public",
  "gh repo delete --yes",
  "gh repo deploy-key add greeting.txt",
  "gh api -X PUT repos/{owner}/{repo}/pulls/1/merge",
  "gh api -X POST repos/{owner}/{repo}/hooks -f name=web",
  "gh api repos/secret/other",
  "gh api repos/{owner}/{repo}/../../secret/other",
  "gh api user",
  "gh issue list -R secret/other",
  "gh pr list -R 127.0.0.1/secret/other",
  "gh pr list --search x",
  `gh pr create --head main --base "$BRANCH" --title x --body x`,
])}`);
    const lines = report
      .split("\n")
      .slice(1)
      .filter((line) => line !== "");
    expect(lines).toHaveLength(22);
    for (const line of lines) expect(line).toMatch(/403|denied:/);
    expect(forge.changeRequests).toMatchObject([{ title: "Add a report", state: "open", comments: [] }]);
    const changes = forge.requests.filter(
      ({ method, kind, path }) => kind === "api" && method !== "GET" && path !== "/graphql",
    );
    expect(changes).toEqual([]);
    const mutations = forge.requests.filter(({ body }) => String(body["query"]).startsWith("mutation"));
    expect(mutations).toHaveLength(1);
    expect(JSON.stringify(forge.requests.map(({ path, body }) => [path, body]))).not.toContain("secret");
    expect(denied).toContain("PUT /api/v3/repos/team/shop/pulls/1/merge");
  });
});

describe("GitLab's CLI in a staged task whose plan needs git", { timeout: 240_000 }, () => {
  it("opens a merge request for the task's branch and reads the project, without the token inside", async () => {
    const { report, forge, task, denied } = await run(
      `${FAKE_GLAB}${PUSH}
glab mr create "Add a report" "It compares parsers."; glab mr list; glab issue view 7
${SEARCH}`,
      { kind: "gitlab", issues: [ISSUE] },
    );
    expect(report).toMatch(/"title":"Add a report"[^]*\n\[\{.*"title":"Add a report"[^]*It takes a minute\./);
    expect(forge.changeRequests).toMatchObject([{ title: "Add a report", branch: task.branch, target: "main" }]);
    expect(denied).toEqual([]);
    expect(report).not.toContain(TOKEN);
  });

  it("cannot merge, approve, comment, change settings, or reach another project", async () => {
    const { report, forge } = await run(
      `${FAKE_GLAB}${PUSH}
glab mr create "Add a report" x > /dev/null
${failing([
  "glab mr merge 1",
  "glab mr approve 1",
  "glab mr note 1 /merge",
  `glab mr create x '\\n/merge'`,
  `glab mr create x x main`,
  "glab api projects/team%2Fother",
  "glab api projects/4712",
  "glab api user",
  "glab api projects/4711/hooks POST",
  "glab api projects/4711/variables",
  "glab api 'projects/4711?sudo=root'",
  "glab api projects/4711 DELETE",
  "glab api ../graphql POST",
])}`,
      { kind: "gitlab" },
    );
    const lines = report.split("\n").filter((line) => line.trim() !== "");
    expect(lines).toHaveLength(13);
    for (const line of lines) expect(line).toMatch(/^\{"message":"denied: /);
    expect(forge.changeRequests).toMatchObject([{ title: "Add a report", state: "open", comments: [] }]);
    expect(forge.requests.filter(({ method, kind }) => kind === "api" && method !== "GET")).toHaveLength(1);
  });
});
