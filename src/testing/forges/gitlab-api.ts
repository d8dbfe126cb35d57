import { cutPage, pageLink, text } from "./answer.ts";
import type { Api, ApiAnswer, ApiRequest } from "./answer.ts";
import { PROJECT_ID, addLabels, conflicts, findChangeRequest, headOf, open, openOf, refreshed } from "./forge-world.ts";
import type { ForgeWorld, FakeChangeRequest, FakeComment } from "./forge-world.ts";

const NO_PROJECT: ApiAnswer = { status: 404, body: { message: "404 Project Not Found" } };
const NOT_FOUND: ApiAnswer = { status: 404, body: { message: "404 Not found" } };

/** The part of GitLab's API v4 that the adapter uses, with GitLab's validation errors. */
export const answerGitlab: Api = async (world, request) => {
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
  const named = decodeURIComponent(project);
  if (named === world.formerProject) {
    const location = `${world.url}/api/v4/projects/${PROJECT_ID}${rest}`;
    if (method === "GET") return { status: 301, body: { message: "Moved Permanently" }, headers: { location } };
    return { status: 405, body: { message: "Non GET methods are not allowed for moved projects" } };
  }
  if ((named !== world.project && named !== String(PROJECT_ID)) || world.role === "none") return NO_PROJECT;
  if (method !== "GET" && world.role === "read") return { status: 403, body: { message: "403 Forbidden" } };
  return await route(world, request, rest);
};

async function route(world: ForgeWorld, request: ApiRequest, rest: string): Promise<ApiAnswer> {
  const key = `${request.method} ${rest.replace(/\/\d+/, "/:n")}`;
  if (key === "GET ") return { status: 200, body: projectBody(world) };
  if (key === "GET /merge_requests") return await list(world, request, await summaries(world, request.query));
  if (key === "POST /merge_requests") return await create(world, request);
  const held = findChangeRequest(world, Number(/\/(\d+)/.exec(rest)?.[1] ?? 0));
  if (held === null) return NOT_FOUND;
  if (key === "GET /merge_requests/:n") return { status: 200, body: await full(world, held) };
  if (key === "PUT /merge_requests/:n") return await change(world, request, held);
  if (key === "GET /merge_requests/:n/discussions") return await list(world, request, held.comments.map(discussion));
  return NOT_FOUND;
}

async function create(world: ForgeWorld, { body }: ApiRequest): Promise<ApiAnswer> {
  const branch = text(body["source_branch"]);
  const target = text(body["target_branch"]);
  const title = text(body["title"]);
  const description = text(body["description"]);
  const [head, base] = await Promise.all([headOf(world, branch), headOf(world, target)]);
  if (title === "" || title.length > 255) return { status: 400, body: { message: { title: ["is invalid"] } } };
  if (branch === target)
    return { status: 409, body: { message: ["You can't use same project/branch for source and target"] } };
  if (head === null) return { status: 400, body: { message: { source_branch: ["does not exist"] } } };
  if (base === null) return { status: 400, body: { message: { target_branch: ["does not exist"] } } };
  const there = openOf(world, branch, target);
  if (there !== null) {
    const message = [`Another open merge request already exists for this source branch: !${there.number}`];
    return { status: 409, body: { message } };
  }
  const labels = text(body["labels"])
    .split(",")
    .filter((label) => label !== "");
  const draft = isDraft(title);
  const made = open(world, { title, body: description, branch, target, draft, labels, headCommit: head });
  obey(made, description);
  return { status: 201, body: await full(world, made) };
}

/** Executes a quick action in a description, to verify that none gets through. */
function obey(held: FakeChangeRequest, description: string): void {
  if (/^\/close\s*$/m.test(description)) held.state = "closed";
}

async function change(world: ForgeWorld, { body }: ApiRequest, held: FakeChangeRequest): Promise<ApiAnswer> {
  if (typeof body["title"] === "string") {
    held.title = body["title"];
    held.draft = isDraft(held.title);
  }
  if (typeof body["description"] === "string") {
    held.body = body["description"];
    obey(held, held.body);
  }
  if (typeof body["target_branch"] === "string") held.target = body["target_branch"];
  if (typeof body["add_labels"] === "string") addLabels(world, held, body["add_labels"].split(","));
  setPeople(world, held.reviewers, body["reviewer_ids"]);
  setPeople(world, held.assignees, body["assignee_ids"]);
  return { status: 200, body: await full(world, held) };
}

/** Unknown users are silently ignored. */
function setPeople({ users: known }: ForgeWorld, people: string[], ids: unknown): void {
  if (!Array.isArray(ids)) return;
  people.splice(0, people.length, ...known.filter((_, index) => ids.includes(index + 1)));
}

function isDraft(title: string): boolean {
  return /^(draft:|\[draft\]|\(draft\))/i.test(title);
}

async function summaries(world: ForgeWorld, query: URLSearchParams): Promise<unknown[]> {
  const branch = query.get("source_branch");
  const label = query.get("labels");
  const wanted = world.held.filter(
    (each) =>
      (query.get("state") !== "opened" || each.state === "open") &&
      (branch === null || each.branch === branch) &&
      (label === null || each.labels.includes(label)),
  );
  return await Promise.all(wanted.toReversed().map((held) => summary(world, held)));
}

async function list(world: ForgeWorld, request: ApiRequest, items: readonly unknown[]): Promise<ApiAnswer> {
  const { items: body, page, next } = cutPage(world, request, items);
  const link = next === null ? {} : { link: pageLink(`${world.url}/api/v4`, request, next) };
  return {
    status: 200,
    body,
    headers: { "x-page": String(page), "x-next-page": next === null ? "" : String(next), ...link },
  };
}

function users({ users: known }: ForgeWorld, { query }: ApiRequest): ApiAnswer {
  const wanted = query.get("username")?.toLowerCase();
  return { status: 200, body: known.map(person).filter(({ username }) => username.toLowerCase() === wanted) };
}

function ownToken({ scopes }: ForgeWorld): ApiAnswer {
  // As for tokens that are not personal access tokens.
  if (scopes === null) return { status: 401, body: { message: "401 Unauthorized" } };
  return { status: 200, body: { id: 1, scopes, active: true, revoked: false, expires_at: null } };
}

function projectBody({ project, role, url }: ForgeWorld): unknown {
  const access = { access_level: role === "write" ? 30 : 20 };
  return {
    id: PROJECT_ID,
    path_with_namespace: project,
    web_url: `${url}/${project}`,
    archived: false,
    merge_requests_enabled: true,
    permissions: { project_access: access, group_access: null },
  };
}

async function full(world: ForgeWorld, held: FakeChangeRequest): Promise<unknown> {
  const listed = await summary(world, held);
  const conflict = held.state === "open" && (await conflicts(world, held));
  const ci = world.ci.get(held.headCommit);
  const status = ci === "passed" ? "success" : ci;
  return {
    ...listed,
    merge_commit_sha: held.mergeCommit,
    squash_commit_sha: null,
    has_conflicts: conflict,
    detailed_merge_status: conflict ? "conflict" : "mergeable",
    head_pipeline: ci === undefined ? null : { id: 1, sha: held.headCommit, ref: held.branch, status },
  };
}

async function summary(world: ForgeWorld, held: FakeChangeRequest): Promise<Readonly<Record<string, unknown>>> {
  await refreshed(world, held);
  const named = (names: readonly string[]) => names.map((name) => person(name, world.users.indexOf(name)));
  return {
    id: 9000 + held.number,
    iid: held.number,
    web_url: `${world.url}/${world.project}/-/merge_requests/${held.number}`,
    title: held.title,
    description: held.body,
    draft: held.draft,
    state: held.state === "open" ? "opened" : held.state,
    source_branch: held.branch,
    target_branch: held.target,
    source_project_id: PROJECT_ID,
    target_project_id: PROJECT_ID,
    sha: held.headCommit,
    labels: held.labels,
    reviewers: named(held.reviewers),
    assignees: named(held.assignees),
    created_at: held.createdAt,
  };
}

function person(username: string, index: number): { id: number; username: string } {
  return { id: index + 1, username };
}

function discussion({ id, author, body, file, line, at, kind }: FakeComment): unknown {
  const position =
    file === null ? {} : { position: { new_path: file, old_path: file, new_line: line, old_line: null } };
  const note = { id, body, author: { username: author }, created_at: at, system: kind === "system", ...position };
  return { id: `d${id}`, individual_note: true, notes: [note] };
}
