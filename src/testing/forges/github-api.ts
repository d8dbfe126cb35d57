import { cutPage, pageLink, text, texts } from "./answer.ts";
import type { Api, ApiAnswer, ApiRequest } from "./answer.ts";
import { addLabels, conflicts, findChangeRequest, headOf, open, openOf, refreshed } from "./forge-world.ts";
import type { ForgeWorld, FakeChangeRequest, FakeComment } from "./forge-world.ts";

const NOT_FOUND: ApiAnswer = { status: 404, body: { message: "Not Found", status: "404" } };

/** The part of GitHub's REST API that the adapter uses, with GitHub's validation errors. */
export const answerGithub: Api = async (world, request) => {
  if (request.token === null) return { status: 401, body: { message: "Bad credentials", status: "401" } };
  const scopes = world.scopes === null ? {} : { "x-oauth-scopes": world.scopes.join(", ") };
  const answer = await route(world, request);
  return { ...answer, headers: { ...scopes, ...answer.headers } };
};

async function route(world: ForgeWorld, request: ApiRequest): Promise<ApiAnswer> {
  const [, owner = "", repo = "", rest = ""] = /^\/repos\/([^/]+)\/([^/]+)(\/.*)?$/.exec(request.path) ?? [];
  const named = `${owner}/${repo}`.toLowerCase();
  if (named === world.formerProject?.toLowerCase()) {
    const location = `${world.url}/api/v3/repos/${world.project}${rest}`;
    return {
      status: request.method === "GET" ? 301 : 307,
      body: { message: "Moved Permanently" },
      headers: { location },
    };
  }
  if (named !== world.project.toLowerCase() || world.role === "none") return NOT_FOUND;
  if (request.method !== "GET" && world.role === "read")
    return { status: 403, body: { message: "Resource not accessible by personal access token" } };
  const key = `${request.method} ${rest.replaceAll(/\/\d+(?=\/|$)/g, "/:n")}`;
  const number = Number(/\/(\d+)(?:\/|$)/.exec(rest)?.[1] ?? 0);
  if (rest === "" && request.method === "GET") return { status: 200, body: repository(world) };
  if (key === "GET /pulls") return list(world, request, filterPulls(world, request.query));
  if (key === "POST /pulls") return await create(world, request);
  const [, sha = "", what = ""] = /^\/commits\/([0-9a-f]{40})\/(check-runs|status)$/.exec(rest) ?? [];
  if (sha !== "") return ciAnswer(world, sha, what);
  const [, list_ = "", user = ""] = /^\/(collaborators|assignees)\/([^/]+)$/.exec(rest) ?? [];
  if (list_ !== "") return world.users.includes(user) ? { status: 204, body: null } : NOT_FOUND;
  const held = findChangeRequest(world, number);
  return held === null ? NOT_FOUND : await answerOne(world, request, { held, key });
}

async function answerOne(
  world: ForgeWorld,
  request: ApiRequest,
  { held, key }: { readonly held: FakeChangeRequest; readonly key: string },
): Promise<ApiAnswer> {
  const ofKind = (wanted: (comment: FakeComment) => boolean) =>
    list(world, request, held.comments.filter(wanted).map(comment));
  switch (key) {
    case "GET /pulls/:n":
      return { status: 200, body: await fullPull(world, held) };
    case "PATCH /pulls/:n":
      return await change(world, request, held);
    case "GET /issues/:n/comments":
      return ofKind(({ kind, file }) => kind === "comment" && file === null);
    case "GET /pulls/:n/comments":
      return ofKind(({ file }) => file !== null);
    case "GET /pulls/:n/reviews":
      return ofKind(({ kind }) => kind === "review");
    case "POST /issues/:n/labels":
      return label(world, request, held);
    case "POST /issues/:n/assignees":
      // Unknown users are silently ignored, as on GitHub.
      held.assignees.push(...texts(request.body["assignees"]).filter((name) => world.users.includes(name)));
      return { status: 201, body: { number: held.number, assignees: held.assignees.map((login) => ({ login })) } };
    case "POST /pulls/:n/requested_reviewers":
      return await askReview(world, request, held);
    default:
      return NOT_FOUND;
  }
}

async function create(world: ForgeWorld, { body }: ApiRequest): Promise<ApiAnswer> {
  const title = text(body["title"]);
  const branch = text(body["head"]);
  const target = text(body["base"]);
  const draft = body["draft"] === true;
  const [head, base] = await Promise.all([headOf(world, branch), headOf(world, target)]);
  if (title === "") return invalid({ resource: "PullRequest", field: "title", code: "missing_field" });
  if (title.length > 256 || text(body["body"]).length > 65_536) return invalid({ message: "body is too long" });
  if (base === null) return invalid({ resource: "PullRequest", field: "base", code: "invalid" });
  if (head === null) return invalid({ resource: "PullRequest", field: "head", code: "invalid" });
  if (head === base) return invalid({ message: `No commits between ${target} and ${branch}` });
  if (openOf(world, branch, target) !== null)
    return invalid({ message: `A pull request already exists for ${world.project.split("/")[0]}:${branch}.` });
  if (draft && !world.draftsAllowed)
    return { status: 422, body: { message: "Draft pull requests are not supported in this repository." } };
  const made = open(world, { title, body: text(body["body"]), branch, target, draft, headCommit: head });
  return { status: 201, body: await fullPull(world, made) };
}

function invalid(error: Readonly<Record<string, string>>): ApiAnswer {
  return { status: 422, body: { message: "Validation Failed", errors: [error], status: "422" } };
}

async function change(world: ForgeWorld, { body }: ApiRequest, held: FakeChangeRequest): Promise<ApiAnswer> {
  if (typeof body["title"] === "string") held.title = body["title"];
  if (typeof body["body"] === "string") held.body = body["body"];
  if (typeof body["base"] === "string") held.target = body["base"];
  return { status: 200, body: await fullPull(world, held) };
}

function label(world: ForgeWorld, { body }: ApiRequest, held: FakeChangeRequest): ApiAnswer {
  const labels = texts(body["labels"]);
  if (labels.some((name) => name.length > 50)) return invalid({ resource: "Label", field: "name", code: "invalid" });
  addLabels(world, held, labels);
  return { status: 200, body: held.labels.map((name) => ({ name })) };
}

async function askReview(world: ForgeWorld, { body }: ApiRequest, held: FakeChangeRequest): Promise<ApiAnswer> {
  const reviewers = texts(body["reviewers"]);
  const stranger = reviewers.find((name) => !world.users.includes(name));
  if (stranger !== undefined || texts(body["team_reviewers"]).length > 0) {
    const message =
      "Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator.";
    return { status: 422, body: { message } };
  }
  held.reviewers.push(...reviewers);
  return { status: 201, body: await fullPull(world, held) };
}

function filterPulls({ held, project }: ForgeWorld, query: URLSearchParams): FakeChangeRequest[] {
  const head = query.get("head");
  const owner = project.split("/")[0] ?? "";
  const wanted = held.filter(
    (each) =>
      (query.get("state") !== "open" || each.state === "open") &&
      (head === null || head.toLowerCase() === `${owner}:${each.branch}`.toLowerCase()),
  );
  return wanted.toReversed();
}

async function list(world: ForgeWorld, request: ApiRequest, items: readonly unknown[]): Promise<ApiAnswer> {
  const { items: cut, next } = cutPage(world, request, items);
  const body = await Promise.all(cut.map((item) => (isHeld(item) ? pull(world, item) : item)));
  const headers = next === null ? {} : { link: pageLink(`${world.url}/api/v3`, request, next) };
  return { status: 200, body, headers };
}

function isHeld(item: unknown): item is FakeChangeRequest {
  return typeof item === "object" && item !== null && "headCommit" in item;
}

function ciAnswer(world: ForgeWorld, sha: string, what: string): ApiAnswer {
  const ci = world.ci.get(sha);
  if (what === "status") return { status: 200, body: { state: "pending", statuses: [], total_count: 0, sha } };
  const conclusion = ci === "passed" ? "success" : ci === "failed" ? "failure" : null;
  const runs =
    ci === undefined ? [] : [{ id: 1, status: conclusion === null ? "in_progress" : "completed", conclusion }];
  return { status: 200, body: { total_count: runs.length, check_runs: runs } };
}

function repository({ project, role, url }: ForgeWorld): unknown {
  const permissions = { admin: false, push: role === "write", pull: true };
  return { id: 1, full_name: project, private: true, archived: false, html_url: `${url}/${project}`, permissions };
}

async function pull(world: ForgeWorld, held: FakeChangeRequest): Promise<Readonly<Record<string, unknown>>> {
  await refreshed(world, held);
  return {
    id: 1000 + held.number,
    number: held.number,
    html_url: `${world.url}/${world.project}/pull/${held.number}`,
    title: held.title,
    body: held.body,
    draft: held.draft,
    state: held.state === "open" ? "open" : "closed",
    merged_at: held.state === "merged" ? held.createdAt : null,
    merge_commit_sha: held.mergeCommit,
    labels: held.labels.map((name) => ({ name })),
    requested_reviewers: held.reviewers.map((login) => ({ login })),
    assignees: held.assignees.map((login) => ({ login })),
    head: { ref: held.branch, sha: held.headCommit, repo: { full_name: world.project } },
    base: { ref: held.target, repo: { full_name: world.project } },
    created_at: held.createdAt,
  };
}

/** Lists omit fields that GitHub computes in the background. */
async function fullPull(world: ForgeWorld, held: FakeChangeRequest): Promise<unknown> {
  const listed = await pull(world, held);
  const isOpen = held.state === "open";
  const dirty = isOpen && (await conflicts(world, held));
  const mergeable = isOpen ? !dirty : null;
  return { ...listed, merged: held.state === "merged", mergeable, mergeable_state: dirty ? "dirty" : "clean" };
}

function comment({ id, author, body, file, line, at }: FakeComment): unknown {
  const written = { id, user: { login: author }, body, created_at: at, submitted_at: at };
  return file === null ? written : { ...written, path: file, line, original_line: line };
}
