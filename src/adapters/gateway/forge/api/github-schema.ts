const PAGE = "first: Int, last: Int, after: String, before: String";

/**
 * The part of GitHub's GraphQL schema that a run can use. Queries are validated against it, so fields that lead out of the
 * project (search, forks, other projects of an owner) do not exist. `gh` uses everything that is listed here.
 */
export const GITHUB_SCHEMA = `
scalar BigInt
scalar DateTime
scalar GitObjectID
scalar HTML
scalar URI

type Query {
  repository(owner: String!, name: String!, followRenames: Boolean): Repository
  node(id: ID!): Node
  viewer: Viewer
  rateLimit: RateLimit
}
type Mutation { createPullRequest(input: CreatePullRequestInput!): CreatePullRequestPayload }
input CreatePullRequestInput {
  repositoryId: ID!, headRepositoryId: ID, baseRefName: String!, headRefName: String!, title: String!, body: String
  draft: Boolean, maintainerCanModify: Boolean, clientMutationId: String
}
type CreatePullRequestPayload { clientMutationId: String, pullRequest: PullRequest }

interface Node { id: ID! }
interface Actor { login: String!, url: URI }
interface RepositoryOwner { id: ID!, login: String! }
type Viewer { login: String! }
type RateLimit { cost: Int, limit: Int, remaining: Int, resetAt: DateTime }
type User implements Actor & RepositoryOwner { id: ID!, login: String!, name: String, url: URI }
type Bot implements Actor { id: ID!, login: String!, url: URI }
type Mannequin implements Actor { id: ID!, login: String!, url: URI }
type Organization implements Actor & RepositoryOwner { id: ID!, login: String!, name: String, url: URI }
type Team { name: String!, slug: String!, organization: Organization }
type UserConnection { nodes: [User], totalCount: Int!, pageInfo: PageInfo! }
type PageInfo { hasNextPage: Boolean!, hasPreviousPage: Boolean!, endCursor: String, startCursor: String }

type Repository {
  id: ID!, databaseId: Int, name: String!, nameWithOwner: String!, owner: RepositoryOwner!, parent: Repository
  description: String, homepageUrl: URI, url: URI, sshUrl: String, createdAt: DateTime, pushedAt: DateTime, updatedAt: DateTime
  isPrivate: Boolean, isFork: Boolean, isArchived: Boolean, isEmpty: Boolean, visibility: String, viewerPermission: String
  hasIssuesEnabled: Boolean, hasProjectsEnabled: Boolean, hasWikiEnabled: Boolean, hasDiscussionsEnabled: Boolean
  mergeCommitAllowed: Boolean, rebaseMergeAllowed: Boolean, squashMergeAllowed: Boolean
  forkCount: Int, stargazerCount: Int, defaultBranchRef: Ref, primaryLanguage: Language
  ref(qualifiedName: String!): Ref
  refs(refPrefix: String!, query: String, orderBy: RefOrder, ${PAGE}): RefConnection
  issue(number: Int!): Issue
  issueOrPullRequest(number: Int!): IssueOrPullRequest
  issues(${PAGE}, filterBy: IssueFilters, labels: [String!], orderBy: IssueOrder, states: [IssueState!]): IssueConnection
  pullRequest(number: Int!): PullRequest
  pullRequests(
    ${PAGE}, baseRefName: String, headRefName: String, labels: [String!], orderBy: IssueOrder, states: [PullRequestState!]
  ): PullRequestConnection
  labels(${PAGE}, query: String, orderBy: LabelOrder): LabelConnection
  milestone(number: Int!): Milestone
  milestones(${PAGE}, query: String, states: [MilestoneState!]): MilestoneConnection
  release(tagName: String!): Release
  releases(${PAGE}, orderBy: ReleaseOrder): ReleaseConnection
}
type Language { name: String! }
type Ref { name: String!, target: GitObject }
type RefConnection { nodes: [Ref], totalCount: Int!, pageInfo: PageInfo! }
interface GitObject { oid: GitObjectID! }
type HeadRepository { id: ID!, name: String!, nameWithOwner: String!, owner: RepositoryOwner }
union IssueOrPullRequest = Issue | PullRequest

enum OrderDirection { ASC DESC }
enum IssueState { OPEN CLOSED }
enum PullRequestState { OPEN CLOSED MERGED }
enum MilestoneState { OPEN CLOSED }
enum IssueOrderField { CREATED_AT UPDATED_AT COMMENTS }
enum LabelOrderField { NAME CREATED_AT }
enum RefOrderField { TAG_COMMIT_DATE ALPHABETICAL }
enum ReleaseOrderField { CREATED_AT NAME }
input IssueOrder { field: IssueOrderField!, direction: OrderDirection! }
input LabelOrder { field: LabelOrderField!, direction: OrderDirection! }
input RefOrder { field: RefOrderField!, direction: OrderDirection! }
input ReleaseOrder { field: ReleaseOrderField!, direction: OrderDirection! }
input IssueFilters {
  assignee: String, createdBy: String, labels: [String!], mentioned: String, milestone: String, milestoneNumber: String
  since: DateTime, states: [IssueState!]
}

type Issue implements Node {
  id: ID!, databaseId: Int, number: Int!, title: String!, body: String, url: URI, state: IssueState, stateReason: String
  closed: Boolean, isPinned: Boolean, createdAt: DateTime, updatedAt: DateTime, closedAt: DateTime, author: Actor
  labels(${PAGE}): LabelConnection, assignees(${PAGE}): UserConnection, comments(${PAGE}): CommentConnection
  milestone: Milestone, reactionGroups: [ReactionGroup!]
  projectCards(${PAGE}): ProjectCardConnection, projectItems(${PAGE}): ProjectItemConnection
}
type IssueConnection { nodes: [Issue], totalCount: Int!, pageInfo: PageInfo! }
type PullRequest implements Node {
  id: ID!, databaseId: Int, fullDatabaseId: BigInt, number: Int!, title: String!, body: String, url: URI
  state: PullRequestState, closed: Boolean, isDraft: Boolean, isCrossRepository: Boolean, maintainerCanModify: Boolean
  mergeable: String, mergeStateStatus: String, reviewDecision: String, isInMergeQueue: Boolean, isMergeQueueEnabled: Boolean
  additions: Int, deletions: Int, changedFiles: Int, createdAt: DateTime, updatedAt: DateTime, closedAt: DateTime
  mergedAt: DateTime, mergedBy: Actor, author: Actor, baseRefName: String, baseRefOid: GitObjectID, baseRef: BaseRef
  headRefName: String, headRefOid: GitObjectID, headRepository: HeadRepository, headRepositoryOwner: RepositoryOwner
  mergeCommit: Commit, potentialMergeCommit: Commit, autoMergeRequest: AutoMergeRequest, milestone: Milestone
  commits(${PAGE}): PullRequestCommitConnection, files(${PAGE}): FileConnection
  labels(${PAGE}): LabelConnection, assignees(${PAGE}): UserConnection, comments(${PAGE}): CommentConnection
  reviews(${PAGE}): ReviewConnection, latestReviews(${PAGE}): ReviewConnection
  reviewRequests(${PAGE}): ReviewRequestConnection, reactionGroups: [ReactionGroup!]
  projectCards(${PAGE}): ProjectCardConnection, projectItems(${PAGE}): ProjectItemConnection
}
type PullRequestConnection { nodes: [PullRequest], totalCount: Int!, pageInfo: PageInfo! }
type BaseRef { name: String!, branchProtectionRule: BranchProtectionRule }
type BranchProtectionRule { requiresStrictStatusChecks: Boolean }
type AutoMergeRequest {
  authorEmail: String, commitBody: String, commitHeadline: String, mergeMethod: String, enabledAt: DateTime, enabledBy: Actor
}
type PullRequestCommitConnection { nodes: [PullRequestCommit], totalCount: Int!, pageInfo: PageInfo! }
type PullRequestCommit { commit: Commit! }
type Commit implements GitObject {
  oid: GitObjectID!, messageHeadline: String, messageBody: String, committedDate: DateTime, authoredDate: DateTime
  authors(${PAGE}): CommitAuthorConnection, statusCheckRollup: StatusCheckRollup
}
type CommitAuthorConnection { nodes: [CommitAuthor] }
type CommitAuthor { name: String, email: String, user: User }
type StatusCheckRollup { state: String, contexts(${PAGE}): StatusCheckRollupContextConnection }
type StatusCheckRollupContextConnection {
  nodes: [StatusCheckRollupContext], totalCount: Int!, pageInfo: PageInfo!, checkRunCount: Int, statusContextCount: Int
  checkRunCountsByState: [StateCount!], statusContextCountsByState: [StateCount!]
}
type StateCount { state: String, count: Int }
union StatusCheckRollupContext = CheckRun | StatusContext
type StatusContext {
  context: String, state: String, targetUrl: URI, createdAt: DateTime, description: String
  isRequired(pullRequestId: ID, pullRequestNumber: Int): Boolean
}
type CheckRun {
  name: String, status: String, conclusion: String, startedAt: DateTime, completedAt: DateTime, detailsUrl: URI
  checkSuite: CheckSuite, isRequired(pullRequestId: ID, pullRequestNumber: Int): Boolean
}
type CheckSuite { workflowRun: WorkflowRun }
type WorkflowRun { event: String, workflow: Workflow }
type Workflow { name: String }
type FileConnection { nodes: [File], totalCount: Int!, pageInfo: PageInfo! }
type File { path: String, additions: Int, deletions: Int, changeType: String }
type CommentConnection { nodes: [Comment], totalCount: Int!, pageInfo: PageInfo! }
type Comment {
  id: ID!, author: Actor, authorAssociation: String, body: String, createdAt: DateTime, includesCreatedEdit: Boolean
  isMinimized: Boolean, minimizedReason: String, url: URI, viewerDidAuthor: Boolean, reactionGroups: [ReactionGroup!]
}
type ReviewConnection { nodes: [Review], totalCount: Int!, pageInfo: PageInfo! }
type Review {
  id: ID!, author: Actor, authorAssociation: String, submittedAt: DateTime, body: String, state: String, url: URI
  commit: Commit, reactionGroups: [ReactionGroup!]
}
type ReviewRequestConnection { nodes: [ReviewRequest], totalCount: Int! }
type ReviewRequest { requestedReviewer: RequestedReviewer }
union RequestedReviewer = User | Team | Bot | Mannequin
type ReactionGroup { content: String, users: ReactingUserConnection }
type ReactingUserConnection { totalCount: Int! }
type Label { id: ID!, name: String!, description: String, color: String, isDefault: Boolean, createdAt: DateTime }
type LabelConnection { nodes: [Label], totalCount: Int!, pageInfo: PageInfo! }
type Milestone { id: ID!, number: Int!, title: String!, description: String, dueOn: DateTime, state: MilestoneState }
type MilestoneConnection { nodes: [Milestone], totalCount: Int!, pageInfo: PageInfo! }
type Release {
  name: String, tagName: String!, description: String, isDraft: Boolean, isLatest: Boolean, isPrerelease: Boolean
  createdAt: DateTime, publishedAt: DateTime, url: URI
}
type ReleaseConnection { nodes: [Release], totalCount: Int!, pageInfo: PageInfo! }
type ProjectCardConnection { nodes: [ProjectCard], totalCount: Int! }
type ProjectCard { project: Project, column: ProjectColumn }
type Project { name: String }
type ProjectColumn { name: String }
type ProjectItemConnection { nodes: [ProjectItem], totalCount: Int! }
type ProjectItem { id: ID!, project: ProjectBoard, fieldValueByName(name: String!): ProjectField }
type ProjectBoard { id: ID!, title: String }
union ProjectField = ProjectV2ItemFieldSingleSelectValue
type ProjectV2ItemFieldSingleSelectValue { optionId: String, name: String }
`;
