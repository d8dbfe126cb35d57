import { buildSchema, execute, parse } from "graphql";
import { GITHUB_SCHEMA } from "../../adapters/gateway/forge/api/github-schema.ts";
import { text } from "./fake-api.ts";
import type { ApiRequest, ApiResponse } from "./fake-api.ts";
import { findChangeRequest, openChangeRequest, readHead } from "./forge-world.ts";
import type { FakeChangeRequest, FakeIssue, ForgeWorld } from "./forge-world.ts";

/** The node id of the project. Pull requests and issues have ids like `PR_1` and `I_2`. */
export const PROJECT_NODE_ID = "R_kgDOshop";

/** More than a run may use, so that a refusal comes from the gateway and not from here. */
const schema = buildSchema(`${GITHUB_SCHEMA}
extend type Issue { repository: Repository! }
extend type PullRequest { repository: Repository! }
extend type Query { search(query: String!, type: String, first: Int): Search, organization(login: String!): Organization }
type Search { issueCount: Int! }
input PullRequestInput { pullRequestId: ID!, body: String, event: String }
type Done { clientMutationId: String }
extend type Mutation {
  mergePullRequest(input: PullRequestInput!): Done
  addPullRequestReview(input: PullRequestInput!): Done
}`);

/** Answers like GitHub's GraphQL API, as far as `gh` needs it. The project `secret/other` exists too. */
export async function answerGraphql(world: ForgeWorld, { body }: ApiRequest): Promise<ApiResponse> {
  const rootValue = {
    viewer: { login: "nightshift" },
    repository: ({ owner, name }: { owner: string; name: string }) => repository(world, `${owner}/${name}`),
    node: ({ id }: { id: string }) => findNode(world, id),
    search: { issueCount: 1 },
    createPullRequest: async ({ input }: { input: Readonly<Record<string, unknown>> }) => {
      if (input["repositoryId"] !== PROJECT_NODE_ID) throw new Error("Could not resolve to a node.");
      const [branch, target] = [text(input["headRefName"]), text(input["baseRefName"])];
      const headCommit = await readHead(world, branch);
      if (headCommit === null) throw new Error("Head ref must be a branch");
      const fields = { title: text(input["title"]), body: text(input["body"]), draft: input["draft"] === true };
      const opened = openChangeRequest(world, { ...fields, branch, target, headCommit });
      return { pullRequest: pullRequest(world, opened, world.project) };
    },
  };
  const variableValues = body["variables"] as Record<string, unknown> | undefined;
  // Not validated, because GitHub allows fields of the same name with different types.
  const document = parse(text(body["query"]));
  const result = await execute({ schema, document, rootValue, variableValues: variableValues ?? {} });
  return { status: 200, body: result };
}

function repository(world: ForgeWorld, path: string): unknown {
  const [owner = "", name = ""] = path.split("/");
  if (path !== world.project && path !== "secret/other") return null;
  const pulls = path === world.project ? world.changeRequests : [];
  return {
    id: path === world.project ? PROJECT_NODE_ID : "R_other",
    name,
    nameWithOwner: path,
    owner: { __typename: "Organization", id: "O_1", login: owner },
    parent: () => repository(world, "secret/other"),
    description: path === world.project ? "a shop" : "a secret",
    viewerPermission: "WRITE",
    hasIssuesEnabled: true,
    defaultBranchRef: { name: "main" },
    pullRequest: ({ number }: { number: number }) => {
      const found = findChangeRequest(world, number);
      if (found === null) throw new Error(`Could not resolve to a PullRequest with the number of ${number}.`);
      return pullRequest(world, found, path);
    },
    pullRequests: ({ headRefName }: { headRefName?: string | null }) =>
      connection(
        pulls
          .filter(({ branch }) => headRefName === undefined || headRefName === null || branch === headRefName)
          .map((each) => pullRequest(world, each, path)),
      ),
    issues: () => connection(world.issues.map((each) => issue(world, each, path))),
    issueOrPullRequest: ({ number }: { number: number }) => {
      const found = world.issues.find((each) => each.number === number);
      return found === undefined ? null : issue(world, found, path);
    },
    labels: () => connection([{ name: "bug", color: "ff0000", description: "" }]),
  };
}

function findNode(world: ForgeWorld, id: string): unknown {
  if (id === "PR_other") return { __typename: "PullRequest", id, repository: repository(world, "secret/other") };
  const known = world.issues.find(({ number }) => id === `I_${number}`);
  if (known !== undefined) return issue(world, known, world.project);
  const found = /^PR_(\d+)$/.test(id) ? findChangeRequest(world, Number(id.slice(3))) : null;
  return found === null ? null : pullRequest(world, found, world.project);
}

function pullRequest(world: ForgeWorld, found: FakeChangeRequest, path: string): unknown {
  const { number, title, body, author, branch, target, draft, headCommit, createdAt } = found;
  return {
    __typename: "PullRequest",
    id: `PR_${number}`,
    number,
    title,
    body,
    isDraft: draft,
    createdAt,
    url: `${world.url}/${path}/pull/${number}`,
    state: found.state.toUpperCase(),
    author: { __typename: "User", id: "U_1", login: author },
    headRefName: branch,
    baseRefName: target,
    headRepositoryOwner: { __typename: "Organization", id: "O_1", login: path.split("/")[0] },
    repository: () => repository(world, path),
    comments: connection([]),
    commits: connection([{ commit: { oid: headCommit, statusCheckRollup: null } }]),
    reviewRequests: connection([]),
    reviews: connection([]),
    assignees: connection([]),
    labels: connection([]),
  };
}

function issue(world: ForgeWorld, { number, title, body }: FakeIssue, path: string): unknown {
  return {
    __typename: "Issue",
    id: `I_${number}`,
    number,
    title,
    body: body ?? "",
    state: "OPEN",
    url: `${world.url}/${path}/issues/${number}`,
    author: { __typename: "User", id: "U_1", login: "alice" },
    repository: () => repository(world, path),
    createdAt: "2026-01-01T00:00:00Z",
    labels: connection([]),
    assignees: connection([]),
    comments: connection([]),
  };
}

function connection(nodes: readonly unknown[]): unknown {
  return { nodes, totalCount: nodes.length, pageInfo: { hasNextPage: false, hasPreviousPage: false } };
}
