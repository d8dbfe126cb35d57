import {
  addUnverified,
  describeTaskChange,
  markUnchecked,
  type ChangeText,
} from "../../../core/nightly/describe-change.ts";
import { shortHash } from "../../../core/text/short-hash.ts";
import { withoutCredentials } from "../../../core/text/without-credentials.ts";
import { NOTHING_SEEN, type Artifact, type PublishedBranch } from "../../../core/task/task.ts";
import type { Outcome } from "../../../core/outcomes/outcome.ts";
import type { ChangeRequest, Forge, GitCredentials, Published } from "../../../ports/forge.ts";
import { describeEarlierProposal } from "../../../core/nightly/candidates.ts";
import { waitsForMerge } from "../../../core/pipeline/pipeline-graph.ts";
import { chooseBranch, targetBranch } from "../prepare/prepare-work.ts";
import { describeUnverified, findUnverified } from "./verify-commit.ts";
import { findPublishedMeanwhile } from "../../nightly/night-policy.ts";
import { findTooManyOpen } from "../../nightly/night-over.ts";
import {
  waitForOrphanedPublisher,
  publishWithAgent,
  type AgentPublication,
  type PublishParams,
} from "./publish-with-agent.ts";
import { isCancelled, withPublishLock } from "../../nightly/publish-lock.ts";
import { isPublished, rememberPublished } from "../../nightly/remember-proposals.ts";
import { wasStarted } from "../run-jobs.ts";
import { readTask, transact } from "../../transact.ts";
import { outcomeOf, resultOf, StepEnd, type StepContext, type StepResult, type Work } from "../step-context.ts";
import { describeCheckStatus } from "../../../core/task/checks/describe-check.ts";
import { PROOF_CHECK } from "../../../core/task/checks/proof.ts";
import type { CheckResult } from "../../../core/task/run.ts";
import { loadChangeText } from "../../nightly/night-results.ts";

/**
 * Pushes one commit on top of the base as the task's branch, and opens a change request if there is a forge. The work counts
 * as published once the remote has the branch and the forge has returned the URL. Every part is idempotent, so the step can
 * be repeated after a crash.
 */
export async function runPublishStep(context: StepContext): Promise<StepResult> {
  const { ports, run, pipeline } = context;
  const work = requireWork(context);
  const undecided = await findUnverified(context, work);
  if (undecided !== null) return resultOf(context, undecided);
  const unverifiedBecause = await describeUnverified(context, work);
  const text = addUnverified(await describeWork(context), unverifiedBecause);
  const begun = await wasStarted(ports, run.id);
  const publish = async (): Promise<StepResult> => {
    const obstacle = begun ? null : await findObstacle(context, work);
    if (obstacle !== null) return resultOf(context, obstacle, { error: obstacle.summary });
    return publishBranch(context, { ...work, unverifiedBecause }, text);
  };
  if (!pipeline.policy.publish.oneAtATime) return publish();
  return (await withPublishLock(context, { hasStarted: begun, work: publish })) ?? cancelled(context);
}

async function publishBranch(context: StepContext, work: JudgedWork, text: ChangeText): Promise<StepResult> {
  const { ports, task, project } = context;
  const forge = await findForge(context);
  const credentials = forge?.credentialsFor(project.remote) ?? null;
  const branch = await chooseBranch(context, credentials);
  const commit = await ports.workspaces.squash({
    project: project.name,
    task: task.id,
    commit: work.headCommit,
    base: work.baseCommit,
    message: text.message,
    at: task.createdAt,
    onto: work.published?.people ?? null,
  });
  const changed = await findForeignCommit(context, work, { branch, commit, credentials });
  if (changed !== null) return resultOf(context, changed);
  const pushed = await pushBranch(context, work, { forge, text, branch, commit });
  if (pushed === null) return cancelled(context);
  if (pushed.failure !== null)
    return resultOf(context, pushed.failure, { ...pushed.end, error: pushed.failure.summary });
  ports.hooks.passCheckpoint("branch.pushed");
  const published = await storeBranch(context, work, commit);
  const request = forge === null ? null : await openRequest(context, work, { forge, text, branch, commit });
  if (request === null) await rememberPublished(context, work, null);
  const title = ports.secrets.redact(text.title);
  return toResult(context, { ...work, published, branch, commit, request, title, pushed });
}

/** People may have pushed since the work was prepared. It must be checked together with their commits before it is published. */
async function findForeignCommit(
  { ports, project, pipeline }: StepContext,
  { published }: Work,
  {
    branch,
    commit,
    credentials,
  }: Pick<PublishParams, "branch" | "commit"> & { readonly credentials: GitCredentials | null },
): Promise<Outcome | null> {
  if (published == null || !waitsForMerge(pipeline)) return null;
  const there = await ports.workspaces.readBranch({
    project: project.name,
    remote: project.remote,
    branch,
    credentials,
  });
  const allowed = [
    published.head,
    commit,
    ...(published.decision?.choice === "restore" ? [published.decision.commit] : []),
  ];
  if (there === null || allowed.includes(there)) return null;
  const summary = `${branch} has a commit ${shortHash(there)} that the task did not push`;
  return outcomeOf("branch_updated", summary, { commit: there });
}

/** Stored at once, so that commits of people can be distinguished from those of the task even if the step fails later. */
async function storeBranch(context: StepContext, work: Work, commit: string): Promise<PublishedBranch> {
  const { ports, run, lease } = context;
  const before = work.published ?? null;
  const published: PublishedBranch = {
    head: commit,
    base: before?.base ?? (await targetBranch(context)),
    people: before?.people ?? null,
    seen: before?.seen ?? NOTHING_SEEN,
  };
  await transact(ports, run.task, lease, (task) => ({
    advance: { task: { ...task, published }, events: [], next: null },
  }));
  return published;
}

/** If the forge cannot be opened while an agent publishes, returns null: failing here would leave the agent unattended. */
async function findForge({ ports, project, settings, run }: StepContext): Promise<Forge | null> {
  try {
    return ports.forges.open(project, settings);
  } catch (error) {
    if (run.role === "publish" && (await wasStarted(ports, run.id))) return null;
    throw error;
  }
}

/** Pushes the branch, or lets an agent do it if the user chose that. Returns null if the task was cancelled. */
async function pushBranch(
  context: StepContext,
  work: Work,
  publication: Omit<PublishParams, "forge"> & { readonly forge: Forge | null },
): Promise<AgentPublication | null> {
  const { ports, run, task, project, pipeline } = context;
  const { forge, branch, commit } = publication;
  // Even if the settings changed meanwhile, the engine must not publish in parallel to a started agent.
  if (run.role === "publish")
    return forge === null
      ? waitForOrphanedPublisher(context, publication)
      : publishWithAgent(context, work, { ...publication, forge });
  // Do not wait for a paused task while it has the turn, because that would block the others.
  const hasTurn = pipeline.policy.publish.oneAtATime;
  const isOrderedToEnd = hasTurn ? (await readTask(ports, task.id)).order !== null : await isCancelled(context);
  if (isOrderedToEnd) return null;
  const credentials = forge?.credentialsFor(project.remote) ?? null;
  const { remote } = project;
  const published = await listPublishedCommits(context, work);
  await ports.workspaces.push({ project: project.name, task: task.id, remote, commit, branch, published, credentials });
  return { failure: null, end: {}, granted: [] };
}

/** The commits that the push may replace: those of the task, and those of people that its work contains. */
async function listPublishedCommits({ ports, task }: StepContext, { published }: Work): Promise<readonly string[]> {
  const artifacts = await ports.store.tasks.listArtifacts(task.id);
  const own = artifacts.flatMap(({ type, data }) => (type === "commit" ? [String(data["commit"])] : []));
  const decision = published?.decision ?? null;
  return [
    ...own,
    ...(published == null ? [] : [published.head]),
    ...(decision?.choice === "restore" ? [decision.commit] : []),
  ];
}

/** Looks for a reason that came up since the checks: the same change is published, or too many change requests are open. */
async function findObstacle(context: StepContext, work: Work): Promise<Outcome | null> {
  if (await isPublished(context)) return null;
  const known = await findPublishedMeanwhile(context, work);
  if (known === null) return findTooManyOpen(context);
  const summary = `the same change was published meanwhile: ${describeEarlierProposal(known)}`;
  return outcomeOf("conflict", summary, { proposal: known.id });
}

function cancelled(context: StepContext): StepResult {
  return resultOf(context, outcomeOf("cancel", "cancelled before it was published"));
}

function requireWork({ task: { baseCommit, headCommit, published = null } }: StepContext): Work {
  if (baseCommit === null || headCommit === null || baseCommit === headCommit)
    throw new StepEnd("agent_error", "there is nothing to publish: the task has no commit of its own");
  return { baseCommit, headCommit, published };
}

async function openRequest(context: StepContext, work: Work, request: PublishParams): Promise<Published> {
  const { ports, settings } = context;
  const { forge, text, branch, commit } = request;
  const title = ports.secrets.redact(text.title);
  const draft = {
    branch,
    commit,
    target: await targetBranch(context),
    title,
    body: ports.secrets.redact(text.body),
    labels: [...new Set([...text.labels, ...(settings.forge?.labels ?? [])])],
    reviewer: settings.forge?.reviewer ?? null,
    assignee: settings.forge?.assignee ?? null,
    draft: settings.forge?.draft ?? false,
  };
  return forge.publish(draft, async (opened) => {
    ports.hooks.passCheckpoint("request.opened");
    await rememberPublished(context, work, opened);
    await storeRequest(context, title, opened);
  });
}

/** Stored before anything else can fail: an unknown change request would be opened again, or left open by a cancel. */
async function storeRequest({ ports, run, lease }: StepContext, title: string, opened: ChangeRequest): Promise<void> {
  await transact(ports, run.task, lease, (task) => ({
    advance: { task, events: [], next: null },
    artifacts: [requestArtifact(title, opened)],
  }));
}

/** The label is our own title: with the forge's, an edited title would make it a different artifact. */
function requestArtifact(label: string, { url, number }: ChangeRequest): Artifact {
  return { type: "change_request", label, url, data: { number } };
}

interface JudgedWork extends Work {
  /** Why nothing vouches for it. Null if it passed the checks. */
  readonly unverifiedBecause: string | null;
}

interface PublishedWork extends JudgedWork {
  readonly title: string;
  readonly branch: string;
  readonly commit: string;
  readonly request: Published | null;
  readonly pushed: AgentPublication;
}

function toResult(context: StepContext, published: PublishedWork): StepResult {
  const { branch, commit, baseCommit, request, title, pushed, unverifiedBecause: because } = published;
  const { run, project, settings } = context;
  const base = settings.defaultBranch ?? project.defaultBranch;
  const short = shortHash(commit);
  const artifacts: readonly Artifact[] = [
    { type: "branch", label: branch, url: null, data: { remote: withoutCredentials(project.remote), base } },
    { type: "commit", label: short, url: null, data: { commit, base: baseCommit } },
    ...(request === null ? [] : [requestArtifact(title, request)]),
  ];
  const remarks = [...(because === null ? [] : [`not verified: ${because}`]), ...(request?.warnings ?? [])];
  const summary = `${request?.url ?? `${branch} at ${short}`}${remarks.length === 0 ? "" : ` (${remarks.join("; ")})`}`;
  const url = request?.url ?? null;
  const payload = {
    branch,
    commit,
    url,
    run: run.id,
    ...(pushed.granted.length > 0 && { granted: pushed.granted }),
    ...(because !== null && { unverified: because }),
  };
  // For an agent's run, `commit` means the files that the agent changed.
  return resultOf(context, outcomeOf("published", summary, payload), {
    ...pushed.end,
    commit: run.role === null ? commit : null,
    work: { baseCommit, headCommit: published.headCommit, published: published.published ?? null },
    artifacts,
  });
}

/** Commit message of the finished change, and the text of its change request. */
export async function describeWork(context: StepContext): Promise<ChangeText> {
  const isDescribed = context.pipeline.policy.publish.text === "described";
  const text = await (isDescribed ? loadChangeText(context) : taskChange(context));
  return markUnchecked(text, context.task.options.unchecked ?? []);
}

/** Readers of a change request want to know why a fix is proven or not. */
function describeProof({ name, tail }: CheckResult): string {
  return name === PROOF_CHECK ? `. ${tail}` : "";
}

async function taskChange({ ports, task, settings }: StepContext): Promise<ChangeText> {
  const checks = await ports.store.tasks.listChecks(task.id);
  const newest = checks.filter(({ run }) => run === checks.at(-1)?.run);
  return describeTaskChange({
    title: task.title,
    description: task.description,
    summary: task.context.findLast(({ kind }) => kind === "implementation_summary")?.summary ?? "",
    checks: newest.map((check) => `${check.name}: ${describeCheckStatus(check)}${describeProof(check)}`),
    trailer: settings.commitTrailer,
    issue: task.options.issue?.number ?? null,
  });
}
