import { z } from "zod";
import { checkQuery, createMatcher, parseBody, Refusal, requireTaskBranch, writePath } from "./api-request.ts";
import type { AllowedRequest, ApiRequest } from "./api-request.ts";
import { checkText } from "./check-draft.ts";
import { checkGraphql } from "./github-graphql.ts";
import type { ProjectRules } from "./project-rules.ts";

/** What can be read, below the project. Everything else is refused: settings, secrets, keys, hooks, other forks. */
const canRead = createMatcher([
  "",
  "pulls",
  "pulls/:n",
  "pulls/:n/{files,commits,comments,reviews}",
  "issues",
  "issues/:n",
  "issues/:n/{comments,labels}",
  "labels",
  "milestones",
  "branches",
  "branches/:x",
  "tags",
  "commits",
  "commits/:x",
  "commits/:x/{check-runs,status,statuses,pulls}",
  "compare/:x",
  "contents",
  "contents/**",
  "readme",
  "languages",
  "git/{ref,matching-refs}/**",
  "git/{commits,trees,tags,blobs}/:x",
  "check-runs/:n",
  "check-runs/:n/annotations",
  "actions/runs",
  "actions/runs/:n",
  "actions/runs/:n/jobs",
  "actions/jobs/:n",
  "releases",
  "releases/latest",
  "releases/:n",
  "releases/tags/:x",
]);

const QUERY = new Set(
  "page per_page state sort direction head base ref sha path since until labels assignee creator mentioned milestone author recursive branch event status exclude_pull_requests filter check_name protected head_sha".split(
    " ",
  ),
);

const newPull = z.strictObject({
  title: z.string(),
  body: z.string().optional(),
  head: z.string(),
  base: z.string(),
  draft: z.boolean().optional(),
  maintainer_can_modify: z.boolean().optional(),
});

/** Throws a Refusal unless the request is in the list of what a run may do at GitHub. */
export async function checkGithubRequest(
  { method, segments, query, body }: ApiRequest,
  rules: ProjectRules,
): Promise<AllowedRequest> {
  const inside = segments.slice(segments[0] === "api" && segments[1] === "v3" ? 2 : 0);
  const path = segments.join("/");
  if (path === "graphql" || path === "api/graphql") {
    if (method !== "POST" || query !== "") throw new Refusal("GraphQL needs a plain POST request");
    return { api: "graphql", path: "", body: await checkGraphql(body, rules) };
  }
  // `gh auth status` asks for it.
  if (method === "GET" && inside.length === 0) return { api: "rest", path: "/", body: null };
  const rest = await findRest(inside, rules);
  const ownPath = ["repos", ...rules.project.split("/"), ...rest];
  if (method === "GET" || method === "HEAD") {
    // `owner:branch` is a branch of another project.
    const isOther = rest[0] === "compare" && rest[1]?.includes(":") === true;
    if (!canRead(rest) || isOther) throw new Refusal("reading this is not allowed");
    return { api: "rest", path: writePath(ownPath, checkQuery(query, QUERY)), body: null };
  }
  if (method !== "POST" || rest.join("/") !== "pulls" || query !== "")
    throw new Refusal("the only change that is allowed is to open a pull request");
  return { api: "rest", path: writePath(ownPath), body: JSON.stringify(checkNewPull(body, rules)) };
}

/** The part of the path after the project. GitHub's links to further pages contain the project's number. */
async function findRest(segments: readonly string[], rules: ProjectRules): Promise<readonly string[]> {
  const [kind, first = "", second = ""] = segments;
  if (kind === "repos" && `${first}/${second}` === rules.project) return segments.slice(3);
  if (kind === "repositories" && first === String((await rules.readProject()).id)) return segments.slice(2);
  throw new Refusal(`this run can only reach ${rules.project}`);
}

function checkNewPull(body: string, rules: ProjectRules): z.infer<typeof newPull> {
  const draft = newPull.safeParse(parseBody(body));
  if (!draft.success) throw new Refusal("a pull request needs title, head and base, and may have body and draft");
  requireTaskBranch(rules.withoutOwner(draft.data.head), rules.isTaskBranch);
  checkText(draft.data.body);
  return draft.data;
}
