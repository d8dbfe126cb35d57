import { describe, expect, test } from "vitest";
import type { ForgeGatewayPlan } from "../../../../ports/gateway.ts";
import { readTarget } from "./api-request.ts";
import { checkGithubRequest } from "./github-rules.ts";
import { createProjectRules } from "./project-rules.ts";

const plan: ForgeGatewayPlan = {
  api: "github",
  web: "https://github.com",
  apiUrl: "https://api.github.com",
  project: "team/shop",
  gitUser: "x-access-token",
  keyName: "TOKEN",
  branch: "agent/report-x1",
  defaultBranch: "main",
};
const rules = createProjectRules(plan, ({ api, body }) => {
  if (api === "rest") return Promise.resolve({ id: 77, node_id: "R_shop" });
  const nameWithOwner = body?.includes("PR_own") === true ? "team/shop" : "secret/other";
  return Promise.resolve({ data: { node: { repository: { nameWithOwner } } } });
});

/** Returns what is sent to the forge, or why nothing is sent. */
async function decide(method: string, url: string, body: unknown = ""): Promise<string> {
  const target = readTarget(url);
  if (target === null) return "refused: no plain path";
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return checkGithubRequest({ method, ...target, body: text }, rules).then(
    ({ api, path, body: sent }) => [api, path, sent].filter((part) => part !== null && part !== "").join(" "),
    (error: unknown) => `refused: ${String(error)}`,
  );
}

function query(text: string, variables: object = {}): Promise<string> {
  return decide("POST", "/api/graphql", { query: text, variables });
}

describe("reading at GitHub", () => {
  test.each([
    ["/repos/team/shop", "rest /repos/team/shop"],
    ["/api/v3/repos/team/shop/pulls/1", "rest /repos/team/shop/pulls/1"],
    [
      "/repos/team/shop/pulls?state=open&head=team%3Aa&page=2",
      "rest /repos/team/shop/pulls?state=open&head=team%3Aa&page=2",
    ],
    ["/repositories/77/issues?page=2", "rest /repos/team/shop/issues?page=2"],
    ["/repos/team/shop/contents/src/a%20b.ts?ref=main", "rest /repos/team/shop/contents/src/a%20b.ts?ref=main"],
    ["/repos/team/shop/compare/main...agent%2Freport-x1", "rest /repos/team/shop/compare/main...agent%2Freport-x1"],
    ["/api/v3/", "rest /"],
  ])("allows %s", async (url, sent) => {
    expect(await decide("GET", url)).toBe(sent);
  });

  test.each([
    "/repos/team/other",
    "/repos/Team/shop",
    "/repos/team/shop2",
    "/repos/team/shop/../other",
    "/repos/team/shop/%2e%2e/other/pulls",
    "/repos/team/shop%2F..%2Fother/pulls",
    "/repos/team/shop/contents/..%2F..%2Fother",
    "/repos/team/shop/contents/%252e%252e/x",
    "/repos//team/shop",
    "/repos/team/shop//pulls",
    "/repos/team/shop;x/pulls",
    "/repos/team/shop/pulls;x",
    "/repos/team\\shop",
    "/repos/team/shop/pulls#x",
    "https://api.github.com/repos/team/shop",
    "//api.github.com/repos/team/shop",
    "/repositories/78/pulls",
    "/repositories/77x/pulls",
    "/repos/team/shop/compare/main...secret:main",
    "/repos/team/shop/pulls?sudo=root",
    "/repos/team/shop/pulls?access_token=x",
    "/repos/team/shop/pulls?_method=PUT",
    "/user",
    "/user/repos",
    "/orgs/team/repos",
    "/search/code?q=x",
    "/repos/team/shop/hooks",
    "/repos/team/shop/keys",
    "/repos/team/shop/collaborators",
    "/repos/team/shop/actions/secrets",
    "/repos/team/shop/actions/variables",
    "/repos/team/shop/actions/runners",
    "/repos/team/shop/environments",
    "/repos/team/shop/dependabot/secrets",
    "/repos/team/shop/secret-scanning/alerts",
    "/repos/team/shop/branches/main/protection",
    "/repos/team/shop/zipball",
    "/repos/team/shop/forks",
  ])("refuses %s", async (url) => {
    expect(await decide("GET", url)).toMatch(/^refused: /);
  });
});

const PULL = { title: "Add a report", head: "agent/report-x1", base: "main", body: "It compares parsers." };

describe("changes at GitHub", () => {
  test("a pull request can be opened for the task's branches only", async () => {
    const sent = `rest /repos/team/shop/pulls ${JSON.stringify({ title: PULL.title, body: PULL.body, head: PULL.head, base: "main" })}`;
    expect(await decide("POST", "/repos/team/shop/pulls", PULL)).toBe(sent);
    expect(await decide("POST", "/repos/team/shop/pulls", { ...PULL, head: "team:agent/report-x1-2" })).toMatch(
      /^rest/,
    );
    for (const head of ["main", "agent/other-x2", "agent/report-x1-/../main", "secret:agent/report-x1", ""])
      expect(await decide("POST", "/repos/team/shop/pulls", { ...PULL, head })).toMatch(/^refused: .*not a branch/);
  });

  test("other fields, other types and texts with commands are refused", async () => {
    for (const change of [
      { issue: 3 },
      { head_repo: "secret/other" },
      { labels: ["x"] },
      { title: 3 },
      { body: "/merge" },
    ])
      expect(await decide("POST", "/repos/team/shop/pulls", { ...PULL, ...change })).toMatch(/^refused: /);
    expect(await decide("POST", "/repos/team/shop/pulls", "not json")).toMatch(/^refused: /);
    const twice = `{"head":"main",${JSON.stringify(PULL).slice(1)}`;
    expect(await decide("POST", "/repos/team/shop/pulls", twice)).not.toContain('"head":"main"');
  });

  test.each([
    ["PUT", "pulls/1/merge"],
    ["PUT", "pulls/1/update-branch"],
    ["PATCH", "pulls/1"],
    ["POST", "pulls/1/reviews"],
    ["POST", "pulls/1/requested_reviewers"],
    ["POST", "issues/1/comments"],
    ["POST", "issues/1/labels"],
    ["PATCH", ""],
    ["DELETE", ""],
    ["POST", "merges"],
    ["POST", "git/refs"],
    ["PATCH", "git/refs/heads/main"],
    ["DELETE", "git/refs/heads/main"],
    ["PUT", "contents/README.md"],
    ["POST", "hooks"],
    ["POST", "keys"],
    ["POST", "releases"],
    ["POST", "deployments"],
    ["POST", "dispatches"],
    ["POST", "actions/workflows/1/dispatches"],
    ["POST", "actions/runs/1/rerun"],
    ["PUT", "actions/secrets/X"],
    ["PUT", "collaborators/mallory"],
    ["PUT", "branches/main/protection"],
    ["POST", "transfer"],
    ["POST", "forks"],
    ["POST", "statuses/0123456789012345678901234567890123456789"],
    ["POST", "check-runs"],
    ["OPTIONS", "pulls"],
  ])("refuses %s %s", async (method, path) => {
    const url = `/repos/team/shop/${path}`.replace(/\/$/, "");
    expect(await decide(method, url, PULL)).toMatch(/^refused: .*only change/);
  });
});

describe("GraphQL at GitHub", () => {
  test("queries about the project are allowed, and a fork's parent is left out", async () => {
    const text = `query($owner: String!, $name: String!) { viewer { login } repository(owner: $owner, name: $name) {
      ...r parent { ...r } issues(first: 5) { nodes { title } } } } fragment r on Repository { id name }`;
    const sent = await query(text, { owner: "team", name: "shop" });
    expect(sent).toMatch(/^graphql \{/);
    expect(sent).toContain('"variables":{"owner":"team","name":"shop"}');
    expect(sent).not.toContain("parent");
    expect(await query(`{ node(id: "PR_own") { ... on PullRequest { title } } }`)).toMatch(/^graphql/);
    expect(await query(`{ Issue: __type(name: "Issue") { fields { name } } }`)).toMatch(/^graphql/);
  });

  test.each([
    [`{ repository(owner: "secret", name: "other") { id } }`],
    [`{ a: repository(owner: "team", name: "shop") { id } b: repository(owner: "secret", name: "other") { id } }`],
    [`{ ...q } fragment q on Query { repository(owner: "secret", name: "other") { id } }`],
    [`query($o: String! = "secret") { repository(owner: $o, name: "shop") { id } }`],
    [`{ node(id: "PR_other") { ... on PullRequest { title } } }`],
    [`{ node(id: "PR_own") { ... on User { login } } }`],
    [`{ nodes(ids: ["PR_other"]) { id } }`],
    [`{ search(query: "x", type: REPOSITORY, first: 5) { repositoryCount } }`],
    [`{ viewer { repositories(first: 5) { nodes { name } } } }`],
    [`{ viewer { email } }`],
    [`{ organization(login: "team") { id } }`],
    [`{ resource(url: "https://github.com/secret/other") { url } }`],
    [`{ repository(owner: "team", name: "shop") { owner { ... on User { repositories(first: 5) { totalCount } } } } }`],
    [`{ repository(owner: "team", name: "shop") { forks(first: 5) { nodes { name } } } }`],
    [
      `{ repository(owner: "team", name: "shop") { pullRequest(number: 1) { headRepository { issues { totalCount } } } } }`,
    ],
    [`{ repository(owner: "team", name: "shop") { collaborators { totalCount } } }`],
    [`{ repository(owner: "team", name: "shop") { deployKeys { totalCount } } }`],
    [`query A { viewer { login } } query B { viewer { login } }`],
    [`subscription { viewer { login } }`],
    [`{ ${"a: viewer { login } ".repeat(2000)} }`],
    [`not a query`],
    [``],
  ])("refuses %s", async (text) => {
    expect(await query(text)).toMatch(/^refused: /);
  });

  test.each([
    "mergePullRequest",
    "enablePullRequestAutoMerge",
    "enqueuePullRequest",
    "addPullRequestReview",
    "submitPullRequestReview",
    "addComment",
    "updatePullRequest",
    "closePullRequest",
    "createIssue",
    "createRef",
    "updateRef",
    "deleteRef",
    "createCommitOnBranch",
    "mergeBranch",
    "updateRepository",
    "updateBranchProtectionRule",
    "createDeployment",
    "transferIssue",
    "cloneTemplateRepository",
  ])("refuses the mutation %s", async (name) => {
    const text = `mutation { ${name}(input: {pullRequestId: "PR_own"}) { clientMutationId } }`;
    expect(await query(text)).toMatch(/^refused: .*not allowed here/);
  });

  const OPEN = `mutation M($input: CreatePullRequestInput!) { createPullRequest(input: $input) { pullRequest { url } } }`;
  const input = { repositoryId: "R_shop", baseRefName: "main", headRefName: "agent/report-x1", title: "x", body: "y" };

  test("the mutation that opens a pull request is allowed for the task's branches", async () => {
    expect(await query(OPEN, { input })).toContain('"headRefName":"agent/report-x1"');
    for (const change of [
      { repositoryId: "R_other" },
      { headRepositoryId: "R_other" },
      { headRefName: "main" },
      { headRefName: "secret:agent/report-x1" },
      { body: "> /lgtm" },
      { reviewers: ["x"] },
    ])
      expect(await query(OPEN, { input: { ...input, ...change } })).toMatch(/^refused: /);
    const written = OPEN.replace(
      "$input)",
      `{repositoryId: "R_shop", baseRefName: "main", headRefName: "main", title: "x"})`,
    );
    expect(await query(written.replace("M($input: CreatePullRequestInput!)", ""))).toMatch(/^refused: .*not a branch/);
  });

  test("a request with several queries, or one that is not JSON, is refused", async () => {
    expect(await decide("POST", "/graphql", [{ query: "{ viewer { login } }" }])).toMatch(/^refused: /);
    expect(await decide("POST", "/graphql", "query=%7Bviewer%7Blogin%7D%7D")).toMatch(/^refused: /);
    expect(await decide("GET", "/graphql?query=%7Bviewer%7Blogin%7D%7D")).toMatch(/^refused: /);
  });
});
