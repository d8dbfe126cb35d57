import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { MergeMethod } from "../../core/forge/merge.ts";
import { git, writeFiles } from "../temp-repo.ts";

export interface FakeChangeRequest {
  readonly number: number;
  title: string;
  body: string;
  readonly author: string;
  /** The branch belongs to a fork. Only the ref of the change request is in the repository. */
  readonly isFromFork: boolean;
  readonly branch: string;
  target: string;
  draft: boolean;
  state: "open" | "merged" | "closed";
  readonly labels: string[];
  readonly reviewers: string[];
  readonly assignees: string[];
  readonly comments: FakeComment[];
  readonly createdAt: string;
  /** The branch's commit at the last refresh. The branch may no longer exist. */
  headCommit: string;
  mergeCommit: string | null;
}

export interface FakeIssue {
  readonly number: number;
  readonly title: string;
  readonly body: string | null;
}

export interface FakeComment {
  readonly id: number;
  readonly author: string;
  readonly body: string;
  readonly file: string | null;
  readonly line: number | null;
  /** `review`: the text of a GitHub review; `system`: a system note of GitLab. */
  readonly kind: "comment" | "review" | "system";
  readonly at: string;
  /** The comment is part of a review that requests changes. */
  readonly requestsChanges?: boolean;
}

export type FakeCi = "running" | "passed" | "failed";

/** The project's rules for merging. Tests change them. */
export interface MergeRules {
  methods: readonly MergeMethod[];
  /** Merging needs an approval that is missing. */
  needsReview: boolean;
  /** Merging needs a CI that passed. */
  needsCi: boolean;
}

export const FREE_MERGING: MergeRules = { methods: ["merge", "squash", "rebase"], needsReview: false, needsCi: false };

/** The forge's data and the path of its repository. */
export interface ForgeWorld {
  readonly kind: "github" | "gitlab";
  /** Including the port and the prefix. */
  url: string;
  readonly project: string;
  readonly formerProject: string | null;
  readonly bareDir: string;
  readonly users: readonly string[];
  readonly scopes: readonly string[] | null;
  readonly role: "write" | "read" | "none";
  readonly draftsAllowed: boolean;
  readonly maxPerPage: number;
  readonly changeRequests: FakeChangeRequest[];
  readonly issues: FakeIssue[];
  readonly ci: Map<string, FakeCi>;
  /** Logs of failed CI by commit. */
  readonly ciLogs: Map<string, string>;
  readonly labels: Set<string>;
  readonly mergeRules: MergeRules;
}

export const PROJECT_ID = 4711;

export function findChangeRequest({ changeRequests }: ForgeWorld, number: number): FakeChangeRequest | null {
  return changeRequests.find((each) => each.number === number) ?? null;
}

export function findOpen({ changeRequests }: ForgeWorld, branch: string, target: string): FakeChangeRequest | null {
  return (
    changeRequests.find((each) => each.state === "open" && each.branch === branch && each.target === target) ?? null
  );
}

/** Reads git's files directly, because starting git would take most of the request's time. */
export async function readHead({ bareDir }: ForgeWorld, branch: string): Promise<string | null> {
  const loose = await readFile(join(bareDir, "refs/heads", branch), "utf8").catch(() => null);
  if (loose !== null) return loose.trim();
  const packed = await readFile(join(bareDir, "packed-refs"), "utf8").catch(() => "");
  return (
    packed
      .split("\n")
      .find((line) => line.endsWith(` refs/heads/${branch}`))
      ?.split(" ")[0] ?? null
  );
}

/** The ref through which both forges offer the head of a change request. */
function headRefOf({ kind }: ForgeWorld, number: number): string {
  return kind === "github" ? `refs/pull/${number}/head` : `refs/merge-requests/${number}/head`;
}

/** Updates the head commit and its ref, as a forge does after each push. */
export async function refreshHead(world: ForgeWorld, changeRequest: FakeChangeRequest): Promise<FakeChangeRequest> {
  const { state, isFromFork, branch, number, headCommit } = changeRequest;
  if (state !== "open") return changeRequest;
  if (!isFromFork) changeRequest.headCommit = (await readHead(world, branch)) ?? headCommit;
  const ref = headRefOf(world, number);
  const known = await readFile(join(world.bareDir, ref), "utf8").catch(() => "");
  if (changeRequest.headCommit !== known.trim())
    await writeFiles(world.bareDir, { [ref]: `${changeRequest.headCommit}\n` });
  return changeRequest;
}

export async function hasConflict(world: ForgeWorld, { target, headCommit }: FakeChangeRequest): Promise<boolean> {
  const base = await readHead(world, target);
  if (base === null || headCommit === "" || base === headCommit) return false;
  const args = ["merge-tree", "--write-tree", "--name-only", base, headCommit];
  return await git(world.bareDir, ...args).then(
    () => false,
    () => true,
  );
}

/** Synchronous, so that the second of two concurrent requests finds the first one's result. */
export function openChangeRequest(
  world: ForgeWorld,
  fields: Pick<FakeChangeRequest, "title" | "body" | "branch" | "target" | "draft" | "headCommit"> & {
    readonly labels?: readonly string[];
  } & Partial<Pick<FakeChangeRequest, "author" | "isFromFork">>,
): FakeChangeRequest {
  const number = world.changeRequests.length + 1;
  const created: FakeChangeRequest = {
    author: "nightshift",
    isFromFork: false,
    ...fields,
    number,
    state: "open",
    labels: [],
    reviewers: [],
    assignees: [],
    comments: [],
    // One second apart, so that sorting by time equals the order of creation.
    createdAt: new Date(Date.UTC(2026, 0, 1) + number * 1000).toISOString(),
    mergeCommit: null,
  };
  world.changeRequests.push(created);
  addLabels(world, created, fields.labels ?? []);
  return created;
}

/** Both forges create unknown labels. */
export function addLabels(world: ForgeWorld, changeRequest: FakeChangeRequest, labels: readonly string[]): void {
  for (const label of labels) {
    world.labels.add(label);
    if (!changeRequest.labels.includes(label)) changeRequest.labels.push(label);
  }
}

/** The fake forge's `rebase` also creates one commit. */
export async function merge(
  world: ForgeWorld,
  changeRequest: FakeChangeRequest,
  method: MergeMethod = "merge",
): Promise<string> {
  const { bareDir } = world;
  await refreshHead(world, changeRequest);
  const ref = `refs/heads/${changeRequest.target}`;
  const tree = (await git(bareDir, "merge-tree", "--write-tree", ref, changeRequest.headCommit)).split("\n")[0] ?? "";
  const second = method === "merge" ? ["-p", changeRequest.headCommit] : [];
  const parents = ["-p", await git(bareDir, "rev-parse", ref), ...second];
  const message = method === "merge" ? `Merge ${changeRequest.branch}` : changeRequest.title;
  const commit = await git(bareDir, "commit-tree", ...parents, "-m", message, tree);
  await git(bareDir, "update-ref", ref, commit);
  changeRequest.state = "merged";
  changeRequest.mergeCommit = commit;
  return commit;
}

export async function deleteBranch({ bareDir }: ForgeWorld, branch: string): Promise<void> {
  await git(bareDir, "update-ref", "-d", `refs/heads/${branch}`);
}

/** Adds a comment of the token's owner. */
export function addComment({ number, comments }: FakeChangeRequest, fields: Partial<FakeComment>): FakeComment {
  const id = number * 1000 + comments.length + 1;
  const at = new Date(Date.UTC(2026, 0, 2) + comments.length * 1000).toISOString();
  const comment: FakeComment = {
    id,
    author: "alice",
    body: "",
    file: null,
    line: null,
    kind: "comment",
    at,
    ...fields,
  };
  comments.push(comment);
  return comment;
}
