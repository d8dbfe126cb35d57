import type { ChangeText } from "../../../core/nightly/describe-change.ts";
import { withoutCredentials } from "../../../core/forge/remote-address.ts";
import type { Artifact } from "../../../core/task/task.ts";
import type { Outcome } from "../../../core/outcomes/outcome.ts";
import { lastPayload } from "../../../core/outcomes/stored-outcome.ts";
import type { ChangeRequest, Forge, Published } from "../../../ports/forge.ts";
import { describeEarlierProposal } from "../../../core/nightly/candidates.ts";
import { chooseBranch } from "../prepare/choose-branch.ts";
import { describeWork } from "./change-text.ts";
import { checkPolicy } from "../checks/check-policy.ts";
import { findPublishedMeanwhile } from "../../nightly/night-policy.ts";
import { findTooManyOpen } from "../../nightly/night-over.ts";
import { targetBranch } from "../prepare/prepare-work.ts";
import { waitForOrphanedPublisher, publishWithAgent, type AgentPublication } from "./publish-with-agent.ts";
import { isCancelled, publishTurn } from "../../nightly/publish-turn.ts";
import { isPublished, rememberPublished } from "../../nightly/remember-proposals.ts";
import { wasStarted } from "../run-jobs.ts";
import { readTask, transact } from "../../transact.ts";
import { outcomeOf, resultOf, StepEnd, type StepContext, type StepResult, type Work } from "../step-context.ts";

/**
 * One commit on top of the base, pushed as the task's branch, and a change request for it where there is a forge. Nothing
 * counts as published before the remote has the branch and the forge has said where the change request is.
 * Every part gives the same result when repeated, so a crash in between costs nothing.
 */
export async function runPublishStep(context: StepContext): Promise<StepResult> {
  const { ports, run, pipeline } = context;
  const work = requireWork(context);
  await requireJudged(context, work);
  const text = await describeWork(context);
  const begun = await wasStarted(ports, run.id);
  const inTurn = async (): Promise<StepResult> => {
    const unwanted = begun ? null : await findUnwanted(context, work);
    return unwanted === null ? sendOut(context, work, text) : resultOf(context, unwanted, { error: unwanted.summary });
  };
  if (!pipeline.policy.publish.oneAtATime) return inTurn();
  return (await publishTurn(context, { begun, work: inTurn })) ?? calledOff(context);
}

async function sendOut(context: StepContext, work: Work, text: ChangeText): Promise<StepResult> {
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
  });
  const handed = await sendBranch(context, work, { forge, text, branch, commit });
  if (handed === null) return calledOff(context);
  if (handed.failure !== null)
    return resultOf(context, handed.failure, { ...handed.end, error: handed.failure.summary });
  ports.hooks.passCheckpoint("branch.pushed");
  const request = forge === null ? null : await openRequest(context, work, { forge, text, branch, commit });
  if (request === null) await rememberPublished(context, work, null);
  return toResult(context, { ...work, branch, commit, request, title: ports.secrets.redact(text.title), handed });
}

/** To an agent at work, one that cannot be used any more is gone: to end the run here would leave the agent to itself. */
async function findForge({ ports, project, settings, run }: StepContext): Promise<Forge | null> {
  try {
    return ports.forges.open(project, settings);
  } catch (error) {
    if (run.role === "publish" && (await wasStarted(ports, run.id))) return null;
    throw error;
  }
}

/** By ourselves, or by the agent whom the user has chosen for it. Null where people called it off. */
async function sendBranch(context: StepContext, work: Work, out: Leaving): Promise<AgentPublication | null> {
  const { ports, run, task, project, pipeline } = context;
  const { forge, branch, commit } = out;
  // Whatever became of the settings: the engine does nothing beside an agent that was begun.
  if (run.role === "publish")
    return forge === null ? waitForOrphanedPublisher(context, out) : publishWithAgent(context, work, { ...out, forge });
  // A task that is paused in its turn would hold up the others.
  const hasTurn = pipeline.policy.publish.oneAtATime;
  const isOff = hasTurn ? (await readTask(ports, task.id)).order !== null : await isCancelled(context);
  if (isOff) return null;
  const credentials = forge?.credentialsFor(project.remote) ?? null;
  const { remote } = project;
  await ports.workspaces.push({ project: project.name, task: task.id, remote, commit, branch, credentials });
  return { failure: null, end: {}, granted: [] };
}

/** What was right when it was checked may be there already, or one too many; what is out is beyond that. */
async function findUnwanted(context: StepContext, work: Work): Promise<Outcome | null> {
  if (await isPublished(context)) return null;
  const known = await findPublishedMeanwhile(context, work);
  if (known === null) return findTooManyOpen(context);
  return outcomeOf("conflict", `the same was published meanwhile: ${describeEarlierProposal(known)}`, {
    proposal: known.id,
  });
}

function calledOff(context: StepContext): StepResult {
  return resultOf(context, outcomeOf("cancel", "cancelled before it was published"));
}

function requireWork({ task: { baseCommit, headCommit } }: StepContext): Work {
  if (baseCommit === null || headCommit === null || baseCommit === headCommit)
    throw new StepEnd("agent_error", "there is nothing to publish: the task has no commit of its own");
  return { baseCommit, headCommit };
}

interface Leaving {
  readonly forge: Forge | null;
  readonly text: ChangeText;
  readonly branch: string;
  readonly commit: string;
}

interface Request extends Leaving {
  readonly forge: Forge;
}

async function openRequest(context: StepContext, work: Work, request: Request): Promise<Published> {
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
    await keepRequest(context, title, opened);
  });
}

/** Before anything else can fail: one that nobody knows of would be opened again, or left behind by a cancel. */
async function keepRequest({ ports, run, lease }: StepContext, title: string, opened: ChangeRequest): Promise<void> {
  await transact(ports, run.task, lease, (task) => ({
    advance: { task, events: [], next: null },
    artifacts: [requestArtifact(title, opened)],
  }));
}

/** By the title that we gave it: by the forge's own it would be another one once that is changed. */
function requestArtifact(label: string, { url, number }: ChangeRequest): Artifact {
  return { type: "change_request", label, url, data: { number } };
}

interface Out extends Work {
  readonly title: string;
  readonly branch: string;
  readonly commit: string;
  readonly request: Published | null;
  readonly handed: AgentPublication;
}

function toResult(context: StepContext, out: Out): StepResult {
  const { branch, commit, baseCommit, request, title, handed } = out;
  const { run, project } = context;
  const short = commit.slice(0, 12);
  const artifacts: readonly Artifact[] = [
    { type: "branch", label: branch, url: null, data: { remote: withoutCredentials(project.remote) } },
    { type: "commit", label: short, url: null, data: { commit, base: baseCommit } },
    ...(request === null ? [] : [requestArtifact(title, request)]),
  ];
  const warned = request === null || request.warnings.length === 0 ? "" : ` (${request.warnings.join("; ")})`;
  const summary = `${request?.url ?? `${branch} at ${short}`}${warned}`;
  const url = request?.url ?? null;
  const payload = { branch, commit, url, run: run.id, ...(handed.granted.length > 0 && { granted: handed.granted }) };
  // Of an agent's run this would be the commit of the files that it left.
  return resultOf(context, outcomeOf("published", summary, payload), {
    ...handed.end,
    commit: run.role === null ? commit : null,
    artifacts,
  });
}

/** What leaves the house is what was judged: a pipeline may have no checks, and a rebase makes another commit of it. */
async function requireJudged(context: StepContext, work: Work): Promise<void> {
  const { ports, task } = context;
  const runs = await ports.store.tasks.listRuns({ task: task.id, status: null, project: null, limit: 1000 });
  const passed = lastPayload(
    runs.filter(({ step }) => step === "checks"),
    "checks_passed",
  );
  if (passed?.commit === work.headCommit) return;
  const { rejection: refusal, needsDecision: question } = await checkPolicy(context, work);
  const problem = refusal ?? question;
  if (problem !== null) throw new StepEnd("refused", `the change must not be published as it is:\n${problem}`);
}
