import { paginate, pageLink, text } from "./fake-api.ts";
import type { FakeApi, ApiResponse, ApiRequest } from "./fake-api.ts";
import {
  PROJECT_ID,
  addLabels,
  hasConflict,
  findChangeRequest,
  readHead,
  openChangeRequest,
  findOpen,
  refreshHead,
} from "./forge-world.ts";
import { handleBranch, mergeAsRequested, mergeSettings, mergeStatus, noteAsRequested } from "./gitlab-merging.ts";
import { diffRefs, handleDraftNotes } from "./forge-reviews.ts";
import type { ForgeWorld, FakeChangeRequest, FakeComment } from "./forge-world.ts";

const NO_PROJECT: ApiResponse = { status: 404, body: { message: "404 Project Not Found" } };
const NOT_FOUND: ApiResponse = { status: 404, body: { message: "404 Not found" } };

/** The part of GitLab's API v4 that the adapter uses, with GitLab's validation errors. */
export const handleGitlabRequest: FakeApi = async (world, request) => {
  if (request.token === null) return { status: 401, body: { message: "401 Unauthorized" } };
  const { method, path } = request;
  if (path === "/personal_access_tokens/self" && method === "GET") return ownToken(world);
  const isReading = method === "GET" && world.scopes?.includes("read_api");
  if (world.scopes !== null && !world.scopes.includes("api") && !isReading)
    return {
      status: 403,
      body: {
        error: "insufficient_scope",
        error_description: "The request requires higher privileges than provided by the access token.",
        scope: "api",
      },
    };
  if (path === "/users" && method === "GET") return users(world, request);
  const [, project = "", rest = ""] = /^\/projects\/([^/]+)(\/.*)?$/.exec(path) ?? [];
  const requestedProject = decodeURIComponent(project);
  if (requestedProject === world.formerProject) {
    const location = `${world.url}/api/v4/projects/${PROJECT_ID}${rest}`;
    if (method === "GET") return { status: 301, body: { message: "Moved Permanently" }, headers: { location } };
    return { status: 405, body: { message: "Non GET methods are not allowed for moved projects" } };
  }
  if ((requestedProject !== world.project && requestedProject !== String(PROJECT_ID)) || world.role === "none")
    return NO_PROJECT;
  if (method !== "GET" && world.role === "read") return { status: 403, body: { message: "403 Forbidden" } };
  return await route(world, request, rest);
};

function readIssue(world: ForgeWorld, number: number): ApiResponse {
  const issue = world.issues.find((each) => each.number === number);
  if (issue === undefined) return NOT_FOUND;
  const web_url = `${world.url}/${world.project}/-/issues/${number}`;
  return { status: 200, body: { id: 1, iid: number, title: issue.title, description: issue.body, web_url } };
}

async function route(world: ForgeWorld, request: ApiRequest, rest: string): Promise<ApiResponse> {
  const key = `${request.method} ${rest.replace(/\/\d+/, "/:n")}`;
  if (key === "GET ") return { status: 200, body: projectBody(world) };
  if (key === "GET /merge_requests") return await list(world, request, await summaries(world, request.query));
  if (key === "POST /merge_requests") return await create(world, request);
  if (key === "GET /issues/:n") return readIssue(world, Number(rest.split("/").at(-1)));
  const [, branch = ""] = /^\/repository\/branches\/([^/]+)$/.exec(rest) ?? [];
  if (branch !== "") return await handleBranch(world, request, decodeURIComponent(branch));
  if (/^\/pipelines\/\d+\/jobs$/.test(rest))
    return await list(world, request, [
      { id: 5, name: "lint", stage: "test", status: "success", allow_failure: false },
      { id: 6, name: "build", stage: "test", status: "failed", allow_failure: false, failure_reason: "script_failure" },
    ]);
  if (/^\/jobs\/\d+\/trace$/.test(rest))
    return { status: 200, body: [...world.ciLogs.values()].at(-1) ?? "", headers: { "content-type": "text/plain" } };
  if (rest === "/members/all") return await list(world, request, findMembers(world, request.query));
  const changeRequest = findChangeRequest(world, Number(/\/(\d+)/.exec(rest)?.[1] ?? 0));
  if (changeRequest === null) return NOT_FOUND;
  if (key === "GET /merge_requests/:n") return { status: 200, body: await full(world, changeRequest) };
  if (key === "PUT /merge_requests/:n") return await update(world, request, changeRequest);
  if (key === "PUT /merge_requests/:n/merge") {
    const refusal = await mergeAsRequested(world, request, changeRequest);
    return refusal ?? { status: 200, body: await full(world, changeRequest) };
  }
  if (key === "POST /merge_requests/:n/notes") {
    const note = noteAsRequested(request, changeRequest);
    executeQuickActions(changeRequest, note.body);
    return { status: 201, body: noteBody(note) };
  }
  if (key === "GET /merge_requests/:n/reviewers")
    return await list(
      world,
      request,
      changeRequest.comments.filter((each) => each.requestsChanges === true).map(reviewer),
    );
  const drafted = await handleDraftNotes(world, request, { changeRequest, key });
  if (drafted !== null) return drafted;
  if (key === "GET /merge_requests/:n/discussions")
    return await list(world, request, changeRequest.comments.map(discussion));
  return NOT_FOUND;
}

async function create(world: ForgeWorld, { body }: ApiRequest): Promise<ApiResponse> {
  const branch = text(body["source_branch"]);
  const target = text(body["target_branch"]);
  const title = text(body["title"]);
  const description = text(body["description"]);
  const [head, base] = await Promise.all([readHead(world, branch), readHead(world, target)]);
  if (title === "" || title.length > 255) return { status: 400, body: { message: { title: ["is invalid"] } } };
  if (branch === target)
    return { status: 409, body: { message: ["You can't use same project/branch for source and target"] } };
  if (head === null) return { status: 400, body: { message: { source_branch: ["does not exist"] } } };
  if (base === null) return { status: 400, body: { message: { target_branch: ["does not exist"] } } };
  const existing = findOpen(world, branch, target);
  if (existing !== null) {
    const message = [`Another open merge request already exists for this source branch: !${existing.number}`];
    return { status: 409, body: { message } };
  }
  const labels = text(body["labels"])
    .split(",")
    .filter((label) => label !== "");
  const draft = isDraft(title);
  const created = openChangeRequest(world, {
    title,
    body: description,
    branch,
    target,
    draft,
    labels,
    headCommit: head,
  });
  executeQuickActions(created, description);
  return { status: 201, body: await full(world, created) };
}

/** Executes a quick action in a description, to verify that none gets through. */
function executeQuickActions(changeRequest: FakeChangeRequest, description: string): void {
  if (/^\/close\s*$/m.test(description)) changeRequest.state = "closed";
}

async function update(world: ForgeWorld, { body }: ApiRequest, changeRequest: FakeChangeRequest): Promise<ApiResponse> {
  if (typeof body["title"] === "string") {
    changeRequest.title = body["title"];
    changeRequest.draft = isDraft(changeRequest.title);
  }
  if (typeof body["description"] === "string") {
    changeRequest.body = body["description"];
    executeQuickActions(changeRequest, changeRequest.body);
  }
  if (typeof body["target_branch"] === "string") changeRequest.target = body["target_branch"];
  if (typeof body["add_labels"] === "string") addLabels(world, changeRequest, body["add_labels"].split(","));
  if (body["state_event"] === "close" && changeRequest.state === "open") changeRequest.state = "closed";
  setPeople(world, changeRequest.reviewers, body["reviewer_ids"]);
  setPeople(world, changeRequest.assignees, body["assignee_ids"]);
  return { status: 200, body: await full(world, changeRequest) };
}

/** Unknown users are silently ignored. */
function setPeople({ users: allUsers }: ForgeWorld, people: string[], ids: unknown): void {
  if (!Array.isArray(ids)) return;
  people.splice(0, people.length, ...allUsers.filter((_, index) => ids.includes(index + 1)));
}

function isDraft(title: string): boolean {
  return /^(draft:|\[draft\]|\(draft\))/i.test(title);
}

async function summaries(world: ForgeWorld, query: URLSearchParams): Promise<unknown[]> {
  const branch = query.get("source_branch");
  const label = query.get("labels");
  const matching = world.changeRequests.filter(
    (each) =>
      (query.get("state") !== "opened" || each.state === "open") &&
      (branch === null || each.branch === branch) &&
      (label === null || each.labels.includes(label)),
  );
  return await Promise.all(matching.toReversed().map((changeRequest) => summary(world, changeRequest)));
}

async function list(world: ForgeWorld, request: ApiRequest, items: readonly unknown[]): Promise<ApiResponse> {
  const { items: body, page, next } = paginate(world, request, items);
  const link = next === null ? {} : { link: pageLink(`${world.url}/api/v4`, request, next) };
  return {
    status: 200,
    body,
    headers: { "x-page": String(page), "x-next-page": next === null ? "" : String(next), ...link },
  };
}

function users({ users: allUsers }: ForgeWorld, { query }: ApiRequest): ApiResponse {
  const requested = query.get("username")?.toLowerCase();
  return { status: 200, body: allUsers.map(person).filter(({ username }) => username.toLowerCase() === requested) };
}

function ownToken({ scopes }: ForgeWorld): ApiResponse {
  // As for tokens that are not personal access tokens.
  if (scopes === null) return { status: 401, body: { message: "401 Unauthorized" } };
  return { status: 200, body: { id: 1, scopes, active: true, revoked: false, expires_at: null } };
}

function projectBody({ project, role, url, mergeRules }: ForgeWorld): unknown {
  const access = { access_level: role === "write" ? 30 : 20 };
  return {
    id: PROJECT_ID,
    path_with_namespace: project,
    web_url: `${url}/${project}`,
    archived: false,
    merge_requests_enabled: true,
    ...mergeSettings(mergeRules),
    permissions: { project_access: access, group_access: null },
  };
}

async function full(world: ForgeWorld, changeRequest: FakeChangeRequest): Promise<unknown> {
  const fields = await summary(world, changeRequest);
  const conflict = changeRequest.state === "open" && (await hasConflict(world, changeRequest));
  const ci = world.ci.get(changeRequest.headCommit);
  const status = ci === "passed" ? "success" : ci;
  return {
    ...fields,
    diff_refs: await diffRefs(world, changeRequest),
    merge_commit_sha: changeRequest.mergeCommit,
    squash_commit_sha: null,
    has_conflicts: conflict,
    detailed_merge_status: conflict ? "conflict" : mergeStatus(world, changeRequest),
    head_pipeline:
      ci === undefined ? null : { id: 1, sha: changeRequest.headCommit, ref: changeRequest.branch, status },
  };
}

async function summary(
  world: ForgeWorld,
  changeRequest: FakeChangeRequest,
): Promise<Readonly<Record<string, unknown>>> {
  await refreshHead(world, changeRequest);
  const toPeople = (names: readonly string[]) => names.map((name) => person(name, world.users.indexOf(name)));
  return {
    id: 9000 + changeRequest.number,
    iid: changeRequest.number,
    web_url: `${world.url}/${world.project}/-/merge_requests/${changeRequest.number}`,
    title: changeRequest.title,
    description: changeRequest.body,
    author: person(changeRequest.author, 7),
    draft: changeRequest.draft,
    state: changeRequest.state === "open" ? "opened" : changeRequest.state,
    source_branch: changeRequest.branch,
    target_branch: changeRequest.target,
    source_project_id: changeRequest.isFromFork ? PROJECT_ID + 1 : PROJECT_ID,
    target_project_id: PROJECT_ID,
    sha: changeRequest.headCommit,
    labels: changeRequest.labels,
    reviewers: toPeople(changeRequest.reviewers),
    assignees: toPeople(changeRequest.assignees),
    created_at: changeRequest.createdAt,
  };
}

function reviewer({ author }: FakeComment): unknown {
  return { user: { id: 1, username: author }, state: "requested_changes" };
}

function findMembers({ users: members }: ForgeWorld, query: URLSearchParams): unknown[] {
  return members
    .filter((name) => name.includes(query.get("query") ?? ""))
    .map((username, index) => ({ ...person(username, index), access_level: 30 }));
}

function person(username: string, index: number): { id: number; username: string } {
  return { id: index + 1, username };
}

function discussion(comment: FakeComment): unknown {
  return { id: `d${comment.id}`, individual_note: true, notes: [noteBody(comment)] };
}

function noteBody({ id, author, body, file, line, at, kind }: FakeComment): unknown {
  const position =
    file === null ? {} : { position: { new_path: file, old_path: file, new_line: line, old_line: null } };
  return { id, body, author: { username: author }, created_at: at, system: kind === "system", ...position };
}
