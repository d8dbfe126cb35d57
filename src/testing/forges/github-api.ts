import { paginate, pageLink, text, texts } from "./fake-api.ts";
import type { FakeApi, ApiResponse, ApiRequest } from "./fake-api.ts";
import {
  addLabels,
  hasConflict,
  findChangeRequest,
  readHead,
  openChangeRequest,
  findOpen,
  refreshHead,
} from "./forge-world.ts";
import { closeAsRequested, commentAsRequested, handleGitRef, mergeAsRequested } from "./github-merging.ts";
import { answerGraphql, PROJECT_NODE_ID } from "./github-graphql.ts";
import { reviewAsRequested } from "./forge-reviews.ts";
import type { ForgeWorld, FakeChangeRequest, FakeComment } from "./forge-world.ts";

const NOT_FOUND: ApiResponse = { status: 404, body: { message: "Not Found", status: "404" } };

/** The part of GitHub's REST API that the adapter uses, with GitHub's validation errors. */
export const handleGithubRequest: FakeApi = async (world, request) => {
  if (request.token === null) return { status: 401, body: { message: "Bad credentials", status: "401" } };
  const scopes = world.scopes === null ? {} : { "x-oauth-scopes": world.scopes.join(", ") };
  const response = await route(world, request);
  return { ...response, headers: { ...scopes, ...response.headers } };
};

async function route(world: ForgeWorld, request: ApiRequest): Promise<ApiResponse> {
  if (request.path === "/graphql") return await answerGraphql(world, request);
  if (request.path === "/") return { status: 200, body: {} };
  const [, owner = "", repo = "", rest = ""] = /^\/repos\/([^/]+)\/([^/]+)(\/.*)?$/.exec(request.path) ?? [];
  const requestedProject = `${owner}/${repo}`.toLowerCase();
  if (requestedProject === world.formerProject?.toLowerCase()) {
    const location = `${world.url}/api/v3/repos/${world.project}${rest}`;
    return {
      status: request.method === "GET" ? 301 : 307,
      body: { message: "Moved Permanently" },
      headers: { location },
    };
  }
  if (requestedProject !== world.project.toLowerCase() || world.role === "none") return NOT_FOUND;
  if (request.method !== "GET" && world.role === "read")
    return { status: 403, body: { message: "Resource not accessible by personal access token" } };
  const key = `${request.method} ${rest.replaceAll(/\/\d+(?=\/|$)/g, "/:n")}`;
  const number = Number(/\/(\d+)(?:\/|$)/.exec(rest)?.[1] ?? 0);
  if (rest === "" && request.method === "GET") return { status: 200, body: repository(world) };
  if (key === "GET /pulls") return list(world, request, filterPulls(world, request.query));
  if (key === "POST /pulls") return await create(world, request);
  const [, sha = "", what = ""] = /^\/commits\/([0-9a-f]{40})\/(check-runs|status)$/.exec(rest) ?? [];
  if (sha !== "") return ciResponse(world, sha, what);
  const [, member = ""] = /^\/collaborators\/([^/]+)\/permission$/.exec(rest) ?? [];
  if (member !== "")
    return { status: 200, body: { permission: world.users.includes(member) ? "write" : "read", user: null } };
  if (/^\/check-runs\/\d+\/annotations$/.test(rest))
    return list(world, request, [{ path: "a.txt", start_line: 3, annotation_level: "failure", message: "is wrong" }]);
  if (/^\/actions\/jobs\/\d+\/logs$/.test(rest)) return jobLog(world);
  const [, ref = ""] = /^\/git\/refs?\/heads%2F([^/]+)$/.exec(rest) ?? [];
  if (ref !== "") return await handleGitRef(world, request, decodeURIComponent(ref));
  const [, listName = "", user = ""] = /^\/(collaborators|assignees)\/([^/]+)$/.exec(rest) ?? [];
  if (listName !== "") return world.users.includes(user) ? { status: 204, body: null } : NOT_FOUND;
  if (key === "GET /issues/:n") return readIssue(world, number);
  const changeRequest = findChangeRequest(world, number);
  return changeRequest === null ? NOT_FOUND : await handleChangeRequest(world, request, { changeRequest, key });
}

/** For GitHub, pull requests are issues too. */
function readIssue(world: ForgeWorld, number: number): ApiResponse {
  const page = (kind: string) => `${world.url}/${world.project}/${kind}/${number}`;
  const issue = world.issues.find((each) => each.number === number);
  if (issue !== undefined) return { status: 200, body: { ...issue, id: 1, state: "open", html_url: page("issues") } };
  const pullRequest = findChangeRequest(world, number);
  if (pullRequest === null) return NOT_FOUND;
  const { title, body } = pullRequest;
  return { status: 200, body: { number, title, body, html_url: page("pull"), pull_request: { url: page("pull") } } };
}

async function handleChangeRequest(
  world: ForgeWorld,
  request: ApiRequest,
  { changeRequest, key }: { readonly changeRequest: FakeChangeRequest; readonly key: string },
): Promise<ApiResponse> {
  const listComments = (predicate: (comment: FakeComment) => boolean) =>
    list(world, request, changeRequest.comments.filter(predicate).map(comment));
  switch (key) {
    case "GET /pulls/:n":
      return { status: 200, body: await fullPull(world, changeRequest) };
    case "PATCH /pulls/:n":
      return await update(world, request, changeRequest);
    case "PUT /pulls/:n/merge":
      return await mergeAsRequested(world, request, changeRequest);
    case "POST /issues/:n/comments":
      return { status: 201, body: comment(commentAsRequested(request, changeRequest)) };
    case "GET /issues/:n/comments":
      return listComments(({ kind, file }) => kind === "comment" && file === null);
    case "GET /pulls/:n/comments":
      return listComments(({ file }) => file !== null);
    case "GET /pulls/:n/reviews":
      return listComments(({ kind }) => kind === "review");
    case "POST /pulls/:n/reviews":
      return await reviewAsRequested(world, request, changeRequest);
    case "POST /issues/:n/labels":
      return addRequestedLabels(world, request, changeRequest);
    case "POST /issues/:n/assignees":
      // Unknown users are silently ignored, as on GitHub.
      changeRequest.assignees.push(...texts(request.body["assignees"]).filter((name) => world.users.includes(name)));
      return {
        status: 201,
        body: { number: changeRequest.number, assignees: changeRequest.assignees.map((login) => ({ login })) },
      };
    case "POST /pulls/:n/requested_reviewers":
      return await requestReview(world, request, changeRequest);
    default:
      return NOT_FOUND;
  }
}

async function create(world: ForgeWorld, { body }: ApiRequest): Promise<ApiResponse> {
  const title = text(body["title"]);
  const branch = text(body["head"]);
  const target = text(body["base"]);
  const draft = body["draft"] === true;
  const [head, base] = await Promise.all([readHead(world, branch), readHead(world, target)]);
  if (title === "") return invalid({ resource: "PullRequest", field: "title", code: "missing_field" });
  if (title.length > 256 || text(body["body"]).length > 65_536) return invalid({ message: "body is too long" });
  if (base === null) return invalid({ resource: "PullRequest", field: "base", code: "invalid" });
  if (head === null) return invalid({ resource: "PullRequest", field: "head", code: "invalid" });
  if (head === base) return invalid({ message: `No commits between ${target} and ${branch}` });
  if (findOpen(world, branch, target) !== null)
    return invalid({ message: `A pull request already exists for ${world.project.split("/")[0]}:${branch}.` });
  if (draft && !world.draftsAllowed)
    return { status: 422, body: { message: "Draft pull requests are not supported in this repository." } };
  const created = openChangeRequest(world, {
    title,
    body: text(body["body"]),
    branch,
    target,
    draft,
    headCommit: head,
  });
  return { status: 201, body: await fullPull(world, created) };
}

function invalid(error: Readonly<Record<string, string>>): ApiResponse {
  return { status: 422, body: { message: "Validation Failed", errors: [error], status: "422" } };
}

async function update(world: ForgeWorld, { body }: ApiRequest, changeRequest: FakeChangeRequest): Promise<ApiResponse> {
  if (typeof body["title"] === "string") changeRequest.title = body["title"];
  if (typeof body["body"] === "string") changeRequest.body = body["body"];
  if (typeof body["base"] === "string") changeRequest.target = body["base"];
  closeAsRequested(body, changeRequest);
  return { status: 200, body: await fullPull(world, changeRequest) };
}

function addRequestedLabels(world: ForgeWorld, { body }: ApiRequest, changeRequest: FakeChangeRequest): ApiResponse {
  const labels = texts(body["labels"]);
  if (labels.some((name) => name.length > 50)) return invalid({ resource: "Label", field: "name", code: "invalid" });
  addLabels(world, changeRequest, labels);
  return { status: 200, body: changeRequest.labels.map((name) => ({ name })) };
}

async function requestReview(
  world: ForgeWorld,
  { body }: ApiRequest,
  changeRequest: FakeChangeRequest,
): Promise<ApiResponse> {
  const reviewers = texts(body["reviewers"]);
  const unknownUser = reviewers.find((name) => !world.users.includes(name));
  if (unknownUser !== undefined || texts(body["team_reviewers"]).length > 0) {
    const message =
      "Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator.";
    return { status: 422, body: { message } };
  }
  changeRequest.reviewers.push(...reviewers);
  return { status: 201, body: await fullPull(world, changeRequest) };
}

function filterPulls({ changeRequests, project }: ForgeWorld, query: URLSearchParams): FakeChangeRequest[] {
  const head = query.get("head");
  const owner = project.split("/")[0] ?? "";
  const matching = changeRequests.filter(
    (each) =>
      (query.get("state") !== "open" || each.state === "open") &&
      (head === null || head.toLowerCase() === `${owner}:${each.branch}`.toLowerCase()),
  );
  return matching.toReversed();
}

async function list(world: ForgeWorld, request: ApiRequest, items: readonly unknown[]): Promise<ApiResponse> {
  const { items: pageItems, next } = paginate(world, request, items);
  const body = await Promise.all(pageItems.map((item) => (isChangeRequest(item) ? pull(world, item) : item)));
  const headers = next === null ? {} : { link: pageLink(`${world.url}/api/v3`, request, next) };
  return { status: 200, body, headers };
}

function isChangeRequest(item: unknown): item is FakeChangeRequest {
  return typeof item === "object" && item !== null && "headCommit" in item;
}

function ciResponse(world: ForgeWorld, sha: string, what: string): ApiResponse {
  const ci = world.ci.get(sha);
  if (what === "status") return { status: 200, body: { state: "pending", statuses: [], total_count: 0, sha } };
  const conclusion = ci === "passed" ? "success" : ci === "failed" ? "failure" : null;
  const runs =
    ci === undefined
      ? []
      : [
          {
            id: 1,
            name: "build",
            status: conclusion === null ? "in_progress" : "completed",
            conclusion,
            app: { slug: "github-actions" },
            output: { title: "The build failed", summary: "1 test failed", annotations_count: 1 },
          },
        ];
  return { status: 200, body: { total_count: runs.length, check_runs: runs } };
}

/** GitHub redirects to a server that must not get the token. */
function jobLog({ url, ciLogs }: ForgeWorld): ApiResponse {
  const log = [...ciLogs.values()].at(-1) ?? "";
  const elsewhere = url.replace("127.0.0.1", "localhost");
  const location = `${elsewhere}/logs?text=${encodeURIComponent(`2026-01-02T03:04:05.0000000Z ${log}`)}`;
  return { status: 302, body: null, headers: { location } };
}

function repository({ project, role, url, mergeRules: { methods } }: ForgeWorld): unknown {
  const permissions = { admin: false, push: role === "write", pull: true };
  return {
    id: 1,
    node_id: PROJECT_NODE_ID,
    full_name: project,
    private: true,
    archived: false,
    html_url: `${url}/${project}`,
    permissions,
    allow_merge_commit: methods.includes("merge"),
    allow_squash_merge: methods.includes("squash"),
    allow_rebase_merge: methods.includes("rebase"),
  };
}

async function pull(world: ForgeWorld, changeRequest: FakeChangeRequest): Promise<Readonly<Record<string, unknown>>> {
  await refreshHead(world, changeRequest);
  return {
    id: 1000 + changeRequest.number,
    number: changeRequest.number,
    html_url: `${world.url}/${world.project}/pull/${changeRequest.number}`,
    title: changeRequest.title,
    body: changeRequest.body,
    user: { login: changeRequest.author, type: "User" },
    draft: changeRequest.draft,
    state: changeRequest.state === "open" ? "open" : "closed",
    merged_at: changeRequest.state === "merged" ? changeRequest.createdAt : null,
    merge_commit_sha: changeRequest.mergeCommit,
    labels: changeRequest.labels.map((name) => ({ name })),
    requested_reviewers: changeRequest.reviewers.map((login) => ({ login })),
    assignees: changeRequest.assignees.map((login) => ({ login })),
    head: {
      ref: changeRequest.branch,
      sha: changeRequest.headCommit,
      repo: { full_name: changeRequest.isFromFork ? "stranger/shop" : world.project },
    },
    base: { ref: changeRequest.target, repo: { full_name: world.project } },
    created_at: changeRequest.createdAt,
  };
}

/** Lists omit fields that GitHub computes in the background. */
async function fullPull(world: ForgeWorld, changeRequest: FakeChangeRequest): Promise<unknown> {
  const summary = await pull(world, changeRequest);
  const isOpen = changeRequest.state === "open";
  const dirty = isOpen && (await hasConflict(world, changeRequest));
  const mergeable = isOpen ? !dirty : null;
  return {
    ...summary,
    merged: changeRequest.state === "merged",
    mergeable,
    mergeable_state: dirty ? "dirty" : "clean",
  };
}

function comment({ id, author, body, file, line, at, requestsChanges = false }: FakeComment): unknown {
  const user = { login: author, type: author.endsWith("[bot]") ? "Bot" : "User" };
  const state = requestsChanges ? "CHANGES_REQUESTED" : "COMMENTED";
  const common = { id, user, body, created_at: at, submitted_at: at, state };
  return file === null ? common : { ...common, path: file, line, original_line: line, pull_request_review_id: null };
}
