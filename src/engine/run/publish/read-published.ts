import { isFailure, type Outcome } from "../../../core/outcomes/outcome.ts";
import { readStored } from "../../../core/outcomes/stored-outcome.ts";
import type { Run } from "../../../core/task/run.ts";
import type { Forge, FoundRequest } from "../../../ports/forge.ts";
import { outcomeOf, type StepContext } from "../step-context.ts";

/** Where something was to be published, and what. */
export interface PublishTarget {
  readonly forge: Forge;
  readonly branch: string;
  readonly commit: string;
  /** The names of what was lent for it. */
  readonly granted: readonly string[];
}

/** What the world has, asked of the remote and of the forge, whatever an agent said about it. */
export interface PublishedState {
  readonly head: string | null;
  readonly request: FoundRequest | null;
  /** Commits of this task that an earlier run was to push there: judged too, and to be replaced. */
  readonly earlierCommits: readonly string[];
  /** The request was seen here before, by the ledger or by whoever was told of it. */
  readonly isKnown: boolean;
  /** An agent of this task held the token before this was looked at. */
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
  const others = runs.filter(({ role, id }) => role === "publish" && id !== run.id);
  const earlier = runs.filter(({ role }) => role === "publish").flatMap((each) => publishedBy(each).commit ?? []);
  const told = [...artifacts.map(({ url }) => url), ...others.map((each) => publishedBy(each).url)];
  // People were faster: what was merged or closed was this very commit, and its branch is gone.
  const isGone = found === null && request !== null && request.state !== "open";
  return {
    head: isGone ? commit : found,
    request,
    earlierCommits: earlier,
    isKnown: request !== null && told.includes(request.url),
    hadAgent: others.length > 0,
  };
}

/** What a run was to publish and where, whatever it came to. */
function publishedBy(run: Run): { readonly commit?: string | undefined; readonly url?: string | null | undefined } {
  const stored = readStored(run);
  if (stored?.name === "published" || stored?.name === "policy_failed") return stored.payload;
  return stored !== null && (stored.name === "cancel" || isFailure(stored)) ? stored.payload : {};
}

/** What no further try could mend, whatever an agent said about it; null where there is nothing of that kind. */
export function findViolation(there: PublishedState, place: PublishTarget): Outcome | null {
  if (hasForeignCommit(there, place)) return foreignCommit(there, place);
  if (there.request === null) return null;
  if (there.request.alsoOpen.length > 0) return severalRequests(there.request, place);
  const isDecided = there.request.state !== "open" && there.hadAgent && !there.isKnown;
  return isDecided ? alreadyDecided(there.request, place) : null;
}

/** The same commit is the same files, the same parent and the same message: anything else was judged by nobody. */
function hasForeignCommit({ head, earlierCommits: earlier }: PublishedState, { commit }: PublishTarget): boolean {
  return head !== null && head !== commit && !earlier.includes(head);
}

function foreignCommit({ head, request }: PublishedState, { forge, branch, commit, granted }: PublishTarget): Outcome {
  const names = granted.map((name) => `$${name}`).join(", ");
  const summary = [
    `"${branch}" at ${forge.place} is NOT what was judged: it is ${head ?? "nothing"}, judged was ${commit}.`,
    `Look at it${request === null ? "" : `, close ${request.url}`}, delete the branch, and replace the token in ${names}:`,
    "whoever pushed that may have used it for more.",
  ].join(" ");
  return outcomeOf("policy_failed", summary, { branch, commit, found: head, url: request?.url ?? null, granted });
}

/** Which of them people look at is not for us to choose. */
function severalRequests({ url, alsoOpen }: FoundRequest, { forge, branch, commit, granted }: PublishTarget): Outcome {
  const urls = [url, ...alsoOpen];
  const summary = `"${branch}" at ${forge.place} has ${urls.length} open change requests, allowed is one: ${urls.join(", ")}. Close all but one of them, then retry.`;
  return outcomeOf("policy_failed", summary, { branch, commit, url, urls, granted });
}

/** Nobody here has seen it open: whether it is merged or closed is for people to say, and people had no time to. */
function alreadyDecided({ url, state }: FoundRequest, { forge, branch, commit, granted }: PublishTarget): Outcome {
  const names = granted.map((name) => `$${name}`).join(", ");
  const summary = [
    `${url} of "${branch}" at ${forge.place} is ${state} already, and no agent may do that: it must be open.`,
    `If it was not you who ${state} it, the agent did: look at it, and replace the token in ${names}. Retry takes it as it is.`,
  ].join(" ");
  return outcomeOf("policy_failed", summary, { branch, commit, url, state, granted });
}

/** Null where everything is as the agent says. */
export function verifyReport({ head, request }: PublishedState, place: PublishTarget, url: string): Outcome | null {
  const { forge, branch, commit, granted } = place;
  const failed = (why: string): Outcome =>
    outcomeOf("agent_error", `the agent reported ${url}, but ${why}`, { branch, commit, granted, claimed: url });
  if (head !== commit) return failed(`${forge.place} does not have the commit in "${branch}": nothing is published`);
  if (request === null) return failed(`${forge.place} has no open change request for "${branch}", which is pushed`);
  return withoutSlash(request.url) === withoutSlash(url) ? null : failed(`the one of "${branch}" is ${request.url}`);
}

function withoutSlash(url: string): string {
  return url.trim().replace(/\/+$/, "");
}
