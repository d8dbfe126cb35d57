import { describe, expect, test } from "vitest";
import type { ForgeGatewayPlan } from "../../../../ports/gateway.ts";
import { readTarget } from "./api-request.ts";
import { checkGitlabRequest } from "./gitlab-rules.ts";
import { createProjectRules } from "./project-rules.ts";

const plan: ForgeGatewayPlan = {
  api: "gitlab",
  web: "https://gitlab.com",
  apiUrl: "https://gitlab.com/api/v4",
  project: "team/sub/shop",
  gitUser: "oauth2",
  keyName: "TOKEN",
  branch: "agent/report-x1",
  defaultBranch: "main",
};
const rules = createProjectRules(plan, () => Promise.resolve({ id: 77 }));
const PROJECT = "/api/v4/projects/team%2Fsub%2Fshop";

async function decide(method: string, url: string, body: unknown = ""): Promise<string> {
  const target = readTarget(url);
  if (target === null) return "refused: no plain path";
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return checkGitlabRequest({ method, ...target, body: text }, rules).then(
    ({ path, body: sent }) => [path, sent].filter((part) => part !== null).join(" "),
    (error: unknown) => `refused: ${String(error)}`,
  );
}

describe("reading at GitLab", () => {
  test.each([
    [PROJECT, "/projects/team%2Fsub%2Fshop"],
    ["/api/v4/projects/77", "/projects/team%2Fsub%2Fshop"],
    [`${PROJECT}/merge_requests?state=opened`, "/projects/team%2Fsub%2Fshop/merge_requests?state=opened"],
    [
      `${PROJECT}/repository/files/src%2Fa.ts/raw?ref=main`,
      "/projects/team%2Fsub%2Fshop/repository/files/src%2Fa.ts/raw?ref=main",
    ],
    [`${PROJECT}/issues/3/notes`, "/projects/team%2Fsub%2Fshop/issues/3/notes"],
  ])("allows %s", async (url, sent) => {
    expect(await decide("GET", url)).toBe(sent);
  });

  test.each([
    "/api/v4/projects",
    "/api/v4/projects/team%2Fother",
    "/api/v4/projects/team/sub/shop",
    "/api/v4/projects/Team%2Fsub%2Fshop",
    "/api/v4/projects/78",
    "/api/v4/projects/077",
    "/api/v4/projects/team%2fsub%2fshop%2f..%2fother",
    "/api/v4/projects/team%2Fsub%2Fshop/../78",
    "/api/v4/projects/team%252Fsub%252Fshop",
    "/api/v4//projects/77",
    "/api/v4/projects/77;x",
    "/api/v5/projects/77",
    "/api/graphql",
    "/team/sub/shop/-/settings",
    "/api/v4/user",
    "/api/v4/users",
    "/api/v4/personal_access_tokens",
    `${PROJECT}?sudo=root`,
    `${PROJECT}?private_token=x`,
    `${PROJECT}/repository/compare?from_project_id=78&from=a&to=b`,
    `${PROJECT}/repository/files/..%2F..%2Fhooks`,
    `${PROJECT}/hooks`,
    `${PROJECT}/hooks.json`,
    `${PROJECT}/variables`,
    `${PROJECT}/deploy_keys`,
    `${PROJECT}/deploy_tokens`,
    `${PROJECT}/access_tokens`,
    `${PROJECT}/runners`,
    `${PROJECT}/members`,
    `${PROJECT}/export/download`,
    `${PROJECT}/jobs/1/artifacts`,
    `${PROJECT}/secure_files`,
    `${PROJECT}/terraform/state/x`,
    `${PROJECT}/pipelines/1/variables`,
    `${PROJECT}/triggers`,
  ])("refuses %s", async (url) => {
    expect(await decide("GET", url)).toMatch(/^refused: /);
  });
});

const REQUEST = { title: "Add a report", source_branch: "agent/report-x1", target_branch: "main" };

describe("changes at GitLab", () => {
  test("a merge request can be opened for the task's branches only", async () => {
    const url = `${PROJECT}/merge_requests`;
    expect(await decide("POST", url, { ...REQUEST, target_project_id: 77 })).toContain(
      '"source_branch":"agent/report-x1"',
    );
    for (const change of [
      { source_branch: "main" },
      { source_branch: "agent/report-x1/2" },
      { target_project_id: 78 },
      { id: "secret/other" },
      { sudo: "root" },
      { merge_when_pipeline_succeeds: true },
      { auto_merge: true },
      { assignee_ids: [1] },
      { _method: "PUT" },
      { description: "A report.\n/merge" },
      { description: "A report.\r/approve" },
      { description: "  /merge" },
    ])
      expect(await decide("POST", url, { ...REQUEST, ...change })).toMatch(/^refused: /);
    expect(await decide("POST", url, "source_branch=agent%2Freport-x1")).toMatch(/^refused: /);
    expect(await decide("POST", `${url}?sudo=root`, REQUEST)).toMatch(/^refused: /);
  });

  test.each([
    ["PUT", "merge_requests/1/merge"],
    ["PUT", "merge_requests/1"],
    ["POST", "merge_requests/1/approve"],
    ["POST", "merge_requests/1/notes"],
    ["POST", "issues/1/notes"],
    ["POST", "issues"],
    ["PUT", ""],
    ["DELETE", ""],
    ["POST", "hooks"],
    ["POST", "variables"],
    ["POST", "deploy_keys"],
    ["POST", "deploy_tokens"],
    ["POST", "access_tokens"],
    ["POST", "members"],
    ["POST", "releases"],
    ["POST", "pipeline"],
    ["POST", "trigger/pipeline"],
    ["POST", "jobs/1/play"],
    ["POST", "repository/commits"],
    ["POST", "repository/branches"],
    ["DELETE", "repository/branches/main"],
    ["POST", "repository/files/a.txt"],
    ["POST", "protected_branches"],
    ["DELETE", "protected_branches/main"],
    ["POST", "fork"],
    ["PUT", "transfer"],
    ["POST", "remote_mirrors"],
  ])("refuses %s %s", async (method, path) => {
    expect(await decide(method, `${PROJECT}/${path}`.replace(/\/$/, ""), REQUEST)).toMatch(/^refused: .*only change/);
  });
});
