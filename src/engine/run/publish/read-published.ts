import { isFailure, type Outcome } from "../../../core/outcomes/outcome.ts";
import { readStored } from "../../../core/outcomes/stored-outcome.ts";
import type { Run } from "../../../core/task/run.ts";
import type { Forge, FoundRequest } from "../../../ports/forge.ts";
import { outcomeOf, type StepContext } from "../step-context.ts";

/** The commit to publish, and where. */
export interface PublishTarget {
  readonly forge: Forge;
  readonly branch: string;
  readonly commit: string;
  /** Names of the token variables that the agent gets. */
  readonly granted: readonly string[];
}

/** What is actually published, read from the remote and the forge. */
export interface PublishedState {
  readonly head: string | null;
  readonly request: FoundRequest | null;
  /** Commits that earlier runs of this task were to push. They were checked too and may be replaced. */
  readonly earlierCommits: readonly string[];
  /** The change request is an artifact of the task, or an earlier run recorded it. */
  readonly isKnown: boolean;
  /** An agent of this task had the token before the state was read. */
  readonly hadAgent: boolean;
}

export async function readPublished(
  context: StepContext,
  { forge, branch, commit }: PublishTarget,
): Promise<PublishedState> {
  const { ports, task, project, run } = context;
  const credentials = forge.credentialsFor(project.remote);
  const [request, found, runs, artifacts] = await Promise.all([
    forge.find({ branch, commit }),
    ports.workspaces.readBranch({ project: project.name, remote: project.remote, branch, credentials }),
    ports.store.tasks.listRuns({ task: task.id, status: null, project: null, limit: 1000 }),
    ports.store.tasks.listArtifacts(task.id),
  ]);
  const otherRuns = runs.filter(({ role, id }) => role === "publish" && id !== run.id);
  const earlierCommits = runs
    .filter(({ role }) => role === "publish")
    .flatMap((each) => publishedBy(each).commit ?? []);
  const knownUrls = [...artifacts.map(({ url }) => url), ...otherRuns.map((each) => publishedBy(each).url)];
  // The change request was merged or closed with this commit, and its branch was deleted.
  const isGone = found === null && request !== null && request.state !== "open";
  return {
    head: isGone ? commit : found,
    request,
    earlierCommits,
    isKnown: request !== null && knownUrls.includes(request.url),
    hadAgent: otherRuns.length > 0,
  };
}

/** The commit and URL that a run recorded, also if it failed. */
function publishedBy(run: Run): { readonly commit?: string | undefined; readonly url?: string | null | undefined } {
  const stored = readStored(run);
  if (stored?.name === "published" || stored?.name === "policy_failed") return stored.payload;
  return stored !== null && (stored.name === "cancel" || isFailure(stored)) ? stored.payload : {};
}

/** Finds a problem that a retry cannot fix. */
export function findViolation(published: PublishedState, target: PublishTarget): Outcome | null {
  const { request, hadAgent, isKnown } = published;
  if (hasForeignCommit(published, target)) return foreignCommit(published, target);
  if (request === null) return null;
  if (request.alsoOpen.length > 0) return severalRequests(request, target);
  return request.state !== "open" && hadAgent && !isKnown ? alreadyDecided(request, target) : null;
}

/** Any other commit has not been checked: its files, parent or message differ. */
function hasForeignCommit({ head, earlierCommits }: PublishedState, { commit }: PublishTarget): boolean {
  return head !== null && head !== commit && !earlierCommits.includes(head);
}

function foreignCommit({ head, request }: PublishedState, { forge, branch, commit, granted }: PublishTarget): Outcome {
  const names = granted.map((name) => `$${name}`).join(", ");
  const summary = [
    `"${branch}" at ${forge.repository} has a commit that was not checked: ${head ?? "nothing"} instead of ${commit}.`,
    `Inspect it${request === null ? "" : `, close ${request.url}`}, delete the branch, and replace the token in ${names},`,
    "which may have been misused.",
  ].join(" ");
  return outcomeOf("policy_failed", summary, { branch, commit, found: head, url: request?.url ?? null, granted });
}

/** The engine cannot know which of them people use. */
function severalRequests({ url, alsoOpen }: FoundRequest, { forge, branch, commit, granted }: PublishTarget): Outcome {
  const urls = [url, ...alsoOpen];
  const summary = `"${branch}" at ${forge.repository} has ${urls.length} open change requests, but only one is allowed: ${urls.join(", ")}. Close all but one of them, then retry.`;
  return outcomeOf("policy_failed", summary, { branch, commit, url, urls, granted });
}

/** The change request was never seen open, so probably the agent merged or closed it, which only people may do. */
function alreadyDecided({ url, state }: FoundRequest, { forge, branch, commit, granted }: PublishTarget): Outcome {
  const names = granted.map((name) => `$${name}`).join(", ");
  const summary = [
    `${url} of "${branch}" at ${forge.repository} is already ${state}, but only people may merge or close it.`,
    `Unless you ${state} it, the agent did: inspect it and replace the token in ${names}. A retry accepts its state.`,
  ].join(" ");
  return outcomeOf("policy_failed", summary, { branch, commit, url, state, granted });
}

/** Returns null if the agent's report is correct. */
export function verifyReport({ head, request }: PublishedState, target: PublishTarget, url: string): Outcome | null {
  const { forge, branch, commit, granted } = target;
  const failed = (reason: string): Outcome =>
    outcomeOf("agent_error", `the agent reported ${url}, but ${reason}`, { branch, commit, granted, claimed: url });
  if (head !== commit)
    return failed(`${forge.repository} does not have the commit in "${branch}": nothing is published`);
  if (request === null)
    return failed(`${forge.repository} has no open change request for "${branch}", which is pushed`);
  if (withoutSlash(request.url) === withoutSlash(url)) return null;
  return failed(`the change request of "${branch}" is ${request.url}`);
}

function withoutSlash(url: string): string {
  return url.trim().replace(/\/+$/, "");
}
