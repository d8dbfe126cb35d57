import type { LoopbackRequest } from "./loopback-forge.ts";

type ParamType = "map" | "text" | "number" | "numbers" | "flag" | readonly string[];

export interface Endpoint {
  readonly method: string;
  readonly path: RegExp;
  readonly query: Readonly<Record<string, ParamType>>;
  readonly body: Readonly<Record<string, ParamType>>;
  readonly required: readonly string[];
  /** URL of GitLab's documentation. */
  readonly documentation: string;
}

const DOCS = "https://docs.gitlab.com/api";
const PAGES = { page: "number", per_page: "number" } as const;
const PROJECT = String.raw`^/projects/(\d+|[^/]+%2F[^/]+)`;

/** All endpoints of API v4 that the adapter may use, with their documented parameters. */
export const GITLAB_ENDPOINTS: readonly Endpoint[] = [
  {
    method: "GET",
    path: new RegExp(`${PROJECT}$`),
    query: { license: "flag", statistics: "flag", with_custom_attributes: "flag" },
    body: {},
    required: [],
    documentation: `${DOCS}/projects/#get-a-single-project`,
  },
  {
    method: "GET",
    path: new RegExp(`${PROJECT}/merge_requests$`),
    query: {
      ...PAGES,
      state: ["opened", "closed", "locked", "merged", "all"],
      source_branch: "text",
      target_branch: "text",
      labels: "text",
      order_by: ["created_at", "title", "updated_at", "merged_at"],
      sort: ["asc", "desc"],
      scope: ["created_by_me", "assigned_to_me", "all"],
    },
    body: {},
    required: [],
    documentation: `${DOCS}/merge_requests/#list-project-merge-requests`,
  },
  {
    method: "GET",
    path: new RegExp(String.raw`${PROJECT}/issues/\d+$`),
    query: {},
    body: {},
    required: [],
    documentation: `${DOCS}/issues/#retrieve-a-project-issue`,
  },
  {
    method: "POST",
    path: new RegExp(`${PROJECT}/merge_requests$`),
    query: {},
    body: {
      source_branch: "text",
      target_branch: "text",
      title: "text",
      description: "text",
      labels: "text",
      assignee_id: "number",
      assignee_ids: "numbers",
      reviewer_ids: "numbers",
      remove_source_branch: "flag",
      squash: "flag",
      target_project_id: "number",
      allow_collaboration: "flag",
      milestone_id: "number",
    },
    required: ["source_branch", "target_branch", "title"],
    documentation: `${DOCS}/merge_requests/#create-mr`,
  },
  {
    method: "GET",
    path: new RegExp(String.raw`${PROJECT}/merge_requests/\d+$`),
    query: { include_diverged_commits_count: "flag", include_rebase_in_progress: "flag", render_html: "flag" },
    body: {},
    required: [],
    documentation: `${DOCS}/merge_requests/#get-single-mr`,
  },
  {
    method: "PUT",
    path: new RegExp(String.raw`${PROJECT}/merge_requests/\d+$`),
    query: {},
    body: {
      title: "text",
      description: "text",
      target_branch: "text",
      add_labels: "text",
      remove_labels: "text",
      labels: "text",
      assignee_id: "number",
      assignee_ids: "numbers",
      reviewer_ids: "numbers",
      state_event: ["close", "reopen"],
      remove_source_branch: "flag",
      squash: "flag",
      discussion_locked: "flag",
      allow_collaboration: "flag",
      milestone_id: "number",
    },
    required: [],
    documentation: `${DOCS}/merge_requests/#update-mr`,
  },
  {
    method: "PUT",
    path: new RegExp(String.raw`${PROJECT}/merge_requests/\d+/merge$`),
    query: {},
    body: {
      merge_commit_message: "text",
      squash_commit_message: "text",
      squash: "flag",
      should_remove_source_branch: "flag",
      auto_merge: "flag",
      sha: "text",
    },
    required: [],
    documentation: `${DOCS}/merge_requests/#merge-a-merge-request`,
  },
  {
    method: "POST",
    path: new RegExp(String.raw`${PROJECT}/merge_requests/\d+/notes$`),
    query: {},
    body: { body: "text", internal: "flag", created_at: "text" },
    required: ["body"],
    documentation: `${DOCS}/notes/#create-new-merge-request-note`,
  },
  {
    method: "GET",
    path: new RegExp(String.raw`${PROJECT}/merge_requests/\d+/draft_notes$`),
    query: PAGES,
    body: {},
    required: [],
    documentation: `${DOCS}/draft_notes/#list-all-merge-request-draft-notes`,
  },
  {
    method: "POST",
    path: new RegExp(String.raw`${PROJECT}/merge_requests/\d+/draft_notes$`),
    query: {},
    body: {
      note: "text",
      commit_id: "text",
      in_reply_to_discussion_id: "text",
      resolve_discussion: "flag",
      position: "map",
    },
    required: ["note"],
    documentation: `${DOCS}/draft_notes/#create-a-draft-note`,
  },
  {
    method: "POST",
    path: new RegExp(String.raw`${PROJECT}/merge_requests/\d+/draft_notes/bulk_publish$`),
    query: {},
    body: {},
    required: [],
    documentation: `${DOCS}/draft_notes/#publish-all-pending-draft-notes`,
  },
  {
    method: "GET",
    path: new RegExp(`${PROJECT}/repository/branches/[^/]+$`),
    query: {},
    body: {},
    required: [],
    documentation: `${DOCS}/branches/#get-single-repository-branch`,
  },
  {
    method: "DELETE",
    path: new RegExp(`${PROJECT}/repository/branches/[^/]+$`),
    query: {},
    body: {},
    required: [],
    documentation: `${DOCS}/branches/#delete-repository-branch`,
  },
  {
    method: "GET",
    path: new RegExp(String.raw`${PROJECT}/merge_requests/\d+/discussions$`),
    query: PAGES,
    body: {},
    required: [],
    documentation: `${DOCS}/discussions/#list-project-merge-request-discussion-items`,
  },
  {
    method: "GET",
    path: new RegExp(String.raw`${PROJECT}/merge_requests/\d+/reviewers$`),
    query: PAGES,
    body: {},
    required: [],
    documentation: `${DOCS}/merge_requests/#get-single-merge-request-reviewers`,
  },
  {
    method: "GET",
    path: new RegExp(String.raw`${PROJECT}/pipelines/\d+/jobs$`),
    query: { ...PAGES, include_retried: "flag" },
    body: {},
    required: [],
    documentation: `${DOCS}/jobs/#list-pipeline-jobs`,
  },
  {
    method: "GET",
    path: new RegExp(String.raw`${PROJECT}/jobs/\d+/trace$`),
    query: {},
    body: {},
    required: [],
    documentation: `${DOCS}/jobs/#get-a-log-file`,
  },
  {
    method: "GET",
    path: new RegExp(`${PROJECT}/members/all$`),
    query: { ...PAGES, query: "text" },
    body: {},
    required: [],
    documentation: `${DOCS}/project_members/#list-all-members-of-a-project`,
  },
  {
    method: "GET",
    path: /^\/users$/,
    query: { ...PAGES, username: "text", search: "text", active: "flag" },
    body: {},
    required: [],
    documentation: `${DOCS}/users/#list-users`,
  },
  {
    method: "GET",
    path: /^\/personal_access_tokens\/self$/,
    query: {},
    body: {},
    required: [],
    documentation: `${DOCS}/personal_access_tokens/#self-inform`,
  },
];

/** Returns one message per request that is unknown or not allowed. */
export function checkAgainstGitlab(requests: readonly LoopbackRequest[]): string[] {
  return requests.filter(({ kind }) => kind === "api").flatMap(checkOne);
}

function checkOne({ method, path, query, body }: LoopbackRequest): string[] {
  const name = `${method} ${path}`;
  const endpoint = GITLAB_ENDPOINTS.find((each) => each.method === method && each.path.test(path));
  if (endpoint === undefined) return [`${name}: no such endpoint`];
  const missing = endpoint.required.filter((key) => !(key in body));
  return [
    ...Object.entries(query)
      .filter(([key, value]) => !matchesType(endpoint.query[key], parseQueryValue(endpoint.query[key], value)))
      .map(([key]) => `${name}: query ${key}`),
    ...Object.entries(body)
      .filter(([key, value]) => !matchesType(endpoint.body[key], value))
      .map(([key]) => `${name}: body ${key}`),
    ...missing.map((key) => `${name}: lacks ${key}`),
    // The documentation requires at least one optional attribute.
    ...(method === "PUT" && Object.keys(body).length === 0 ? [`${name}: no attribute`] : []),
  ];
}

/** Query parameters are always strings. */
function parseQueryValue(kind: ParamType | undefined, value: string): unknown {
  if (kind === "number") return /^\d+$/.test(value) ? Number(value) : value;
  if (kind === "flag") return value === "true" ? true : value === "false" ? false : value;
  return value;
}

function matchesType(kind: ParamType | undefined, value: unknown): boolean {
  if (kind === undefined) return false;
  if (kind === "text") return typeof value === "string";
  if (kind === "map") return typeof value === "object" && value !== null && !Array.isArray(value);
  if (kind === "number") return Number.isInteger(value);
  if (kind === "numbers") return Array.isArray(value) && value.every((each) => Number.isInteger(each));
  if (kind === "flag") return typeof value === "boolean";
  return typeof value === "string" && kind.includes(value);
}
