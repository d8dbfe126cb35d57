import { expect, test } from "vitest";
import { GITLAB_ENDPOINTS, checkAgainstGitlab } from "./gitlab-endpoints.ts";
import type { LoopbackRequest } from "./loopback-forge.ts";
import { checkAgainstGithub } from "./openapi-check.ts";

function request(line: string, rest: Partial<LoopbackRequest> = {}): LoopbackRequest {
  const [method = "", path = ""] = line.split(" ");
  return { kind: "api", method, path, query: {}, headers: {}, body: {}, status: 200, ...rest };
}

const wholePull = { title: "t", head: "b", base: "main" };

test.each<[string, Partial<LoopbackRequest>, string[]]>([
  ["GET /repos/a/b/pulls", { query: { state: "open", head: "a:b", per_page: "100" } }, []],
  ["POST /repos/a/b/pulls", { body: { ...wholePull, draft: true } }, []],
  ["POST /repos/a/b/issues/1/labels", { body: { labels: ["x"] } }, []],
  ["GET /repos/a/b/pull", {}, ["GET /repos/a/b/pull: no such operation"]],
  ["DELETE /repos/a/b/pulls/1", {}, ["DELETE /repos/a/b/pulls/1: no such operation"]],
  ["GET /repos/a/b/pulls", { query: { label: "x" } }, [expect.stringContaining('no query parameter "label"')]],
  ["POST /repos/a/b/pulls", { body: { title: "t", head: "b" } }, [expect.stringContaining('body lacks "base"')]],
  ["POST /repos/a/b/pulls", { body: { ...wholePull, draft: "yes" } }, [expect.stringContaining("body.draft")]],
  ["POST /repos/a/b/pulls", { body: { ...wholePull, labels: [] } }, [expect.stringContaining('has no "labels"')]],
  ["PATCH /repos/a/b/pulls/1", { body: { state: "merged" } }, [expect.stringContaining("not one of")]],
  [
    "POST /repos/a/b/pulls/1/requested_reviewers",
    { body: { reviewers: [1] } },
    [expect.stringContaining("[0] is not a string")],
  ],
  ["GET /repos/a/b", { body: { x: 1 } }, [expect.stringContaining("takes no body")]],
])("fake forges: GitHub's description checks %s %j", async (line, rest, expected) => {
  expect(await checkAgainstGithub([request(line, rest)])).toEqual(expected);
});

const wholeRequest = { source_branch: "b", target_branch: "main", title: "t" };

test.each<[string, Partial<LoopbackRequest>, string[]]>([
  ["GET /projects/team%2Fshop", {}, []],
  ["POST /projects/1/merge_requests", { body: wholeRequest }, []],
  ["GET /projects/team/shop", {}, [expect.stringContaining("no such endpoint")]],
  ["GET /projects/1/merge_requests", { query: { state: "open" } }, [expect.stringContaining("query state")]],
  ["GET /projects/1/merge_requests", { query: { page: "x" } }, [expect.stringContaining("query page")]],
  [
    "POST /projects/1/merge_requests",
    { body: { title: "t", source_branch: "b" } },
    [expect.stringContaining("lacks target_branch")],
  ],
  [
    "POST /projects/1/merge_requests",
    { body: { ...wholeRequest, draft: true } },
    [expect.stringContaining("body draft")],
  ],
  [
    "PUT /projects/1/merge_requests/1",
    { body: { reviewer_ids: ["1"] } },
    [expect.stringContaining("body reviewer_ids")],
  ],
  ["PUT /projects/1/merge_requests/1", {}, [expect.stringContaining("no attribute")]],
])("fake forges: the GitLab table checks %s %j", (line, rest, expected) => {
  expect(checkAgainstGitlab([request(line, rest)])).toEqual(expected);
});

test("fake forges: every endpoint of the GitLab table has a documentation link", () => {
  for (const { documentation } of GITLAB_ENDPOINTS)
    expect(documentation).toMatch(/^https:\/\/docs\.gitlab\.com\/api\/\w+\/#/);
});
