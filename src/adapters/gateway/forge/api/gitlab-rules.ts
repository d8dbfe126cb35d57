import { z } from "zod";
import { checkQuery, createMatcher, parseBody, Refusal, requireTaskBranch, writePath } from "./api-request.ts";
import type { AllowedRequest, ApiRequest } from "./api-request.ts";
import { checkText } from "./check-draft.ts";
import type { ProjectRules } from "./project-rules.ts";

/** What can be read, below the project. Everything else is refused: settings, variables, keys, hooks, members. */
const canRead = createMatcher([
  "",
  "merge_requests",
  "merge_requests/:n",
  "merge_requests/:n/{changes,diffs,commits,notes,discussions,pipelines,approvals}",
  "issues",
  "issues/:n",
  "issues/:n/{notes,discussions}",
  "labels",
  "milestones",
  "languages",
  "repository/{branches,commits,tags,tree,compare}",
  "repository/branches/:x",
  "repository/tags/:x",
  "repository/commits/:x",
  "repository/commits/:x/{diff,statuses,comments,merge_requests}",
  "repository/files/:x",
  "repository/files/:x/raw",
  "pipelines",
  "pipelines/latest",
  "pipelines/:n",
  "pipelines/:n/jobs",
  "jobs/:n",
  "jobs/:n/trace",
  "releases",
  "releases/:x",
]);

const QUERY = new Set(
  "page per_page pagination order_by sort state scope search in labels milestone source_branch target_branch author_username assignee_username view wip draft created_after created_before updated_after updated_before ref ref_name path recursive from to straight since until all with_stats first_parent status iids[] include_diverged_commits_count include_rebase_in_progress statistics license with_labels_details".split(
    " ",
  ),
);

const newRequest = z.strictObject({
  title: z.string(),
  description: z.string().optional(),
  source_branch: z.string(),
  target_branch: z.string(),
  target_project_id: z.number().optional(),
  remove_source_branch: z.boolean().optional(),
  squash: z.boolean().optional(),
});

/** Throws a Refusal unless the request is in the list of what a run may do at GitLab. */
export async function checkGitlabRequest(
  { method, segments, query, body }: ApiRequest,
  rules: ProjectRules,
): Promise<AllowedRequest> {
  const [api, version, kind, project = "", ...rest] = segments;
  const isProject = api === "api" && version === "v4" && kind === "projects";
  if (!isProject || !(await isOwnProject(project, rules)))
    throw new Refusal(`this run can only reach ${rules.project}`);
  const ownPath = ["projects", rules.project, ...rest];
  if (method === "GET" || method === "HEAD") {
    if (!canRead(rest)) throw new Refusal("reading this is not allowed");
    return { api: "rest", path: writePath(ownPath, checkQuery(query, QUERY)), body: null };
  }
  if (method !== "POST" || rest.join("/") !== "merge_requests" || query !== "")
    throw new Refusal("the only change that is allowed is to open a merge request");
  const draft = newRequest.safeParse(parseBody(body));
  if (!draft.success)
    throw new Refusal(
      "a merge request needs title, source_branch and target_branch, and may have description, remove_source_branch and squash",
    );
  const { source_branch: branch, target_project_id: target, description } = draft.data;
  if (target !== undefined && target !== (await rules.readProject()).id)
    throw new Refusal(`this run can only reach ${rules.project}`);
  requireTaskBranch(branch, rules.isTaskBranch);
  checkText(description);
  return { api: "rest", path: writePath(ownPath), body: JSON.stringify(draft.data) };
}

/** `glab` uses the path of a project first, and then its number. */
async function isOwnProject(project: string, rules: ProjectRules): Promise<boolean> {
  if (project === rules.project) return true;
  return /^\d{1,15}$/.test(project) && project === String((await rules.readProject()).id);
}
