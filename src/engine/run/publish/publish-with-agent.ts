import type { ChangeText } from "../../../core/nightly/describe-change.ts";
import { newEvent } from "../../../core/task/event.ts";
import { isFailure, type Failure, type Outcome } from "../../../core/outcomes/outcome.ts";
import { defaultEdge, needsPerson } from "../../../core/pipeline/edges.ts";
import type { Forge, ForgeCredentials } from "../../../ports/forge.ts";
import { targetBranch } from "../prepare/prepare-work.ts";
import { agentPublishes, requireSandboxAllowsForge } from "../../nightly/night-over.ts";
import {
  findViolation,
  verifyReport,
  readPublished,
  type PublishTarget,
  type PublishedState,
} from "./read-published.ts";
import { endOf, runAgent, type AgentEnding } from "../agent/run-agent.ts";
import { wasStarted } from "../run-jobs.ts";
import { startAgent } from "../agent/start-agent.ts";
import { outcomeOf, type StepContext, type StepResult, type Work } from "../step-context.ts";

/** Records who publishes in this run: an agent if the user chose that for the nights, otherwise the engine. */
export async function markPublisher(context: StepContext): Promise<StepContext> {
  const { ports, run, lease, state } = context;
  if (state.step.kind !== "publish") return context;
  // A started agent is not affected by later changes of the settings.
  const byAgent = agentPublishes(context) || (await wasStarted(ports, run.id));
  const publisher = byAgent
    ? ({ step: "agent", role: "publish" } as const)
    : ({ step: "publish", role: null } as const);
  if (run.role === publisher.role) return context;
  await ports.store.tasks.updateRun(lease, publisher);
  return { ...context, run: { ...run, ...publisher } };
}

export interface AgentPublication {
  /** Null if the branch is at the checked commit and, if an agent publishes, its change request is open. */
  readonly failure: Outcome | null;
  readonly end: Partial<StepResult>;
  /** Names of the token variables that the agent got. */
  readonly granted: readonly string[];
}

export interface PublishParams {
  readonly forge: Forge;
  readonly text: ChangeText;
  readonly branch: string;
  readonly commit: string;
}

/**
 * Lets an agent push the checked commit and open the change request. Only its run gets the forge's token. Its report is not
 * trusted: the state of the remote and the forge is read before and after.
 */
export async function publishWithAgent(
  context: StepContext,
  work: Work,
  params: PublishParams,
): Promise<AgentPublication> {
  const { ports, run } = context;
  const target: PublishTarget = { ...params, granted: tokenVariables(context) };
  const isStarted = await wasStarted(ports, run.id);
  const before = isStarted ? null : await readPublished(context, target);
  const violation = before === null ? null : findViolation(before, target);
  if (violation !== null) return { failure: violation, end: {}, granted: [] };
  // An earlier agent may have published everything before it was ended.
  if (before?.request != null && before.head === target.commit) return { failure: null, end: {}, granted: [] };
  const agentContext = forPublishing(context, params.branch);
  const squashed = { baseCommit: work.baseCommit, headCommit: params.commit };
  const ending = await runAgent(agentContext, "publish", async () => {
    const credentials = params.forge.issueCredentials();
    requireSandboxAllowsForge(context.settings, credentials);
    const currentHead = before?.head ?? "";
    const data = { publishing: await describePublishing(context, params, { credentials, currentHead }) };
    return startAgent(agentContext, "publish", squashed, {
      credentials,
      data,
      onStart: () => recordTokenGrant(context, target),
    });
  });
  const failure = await verifyEnding(context, target, ending);
  return { failure, end: endOf(context, ending), granted: target.granted };
}

/** Waits for an agent whose forge was removed from the settings. Its result cannot be verified, so the step fails. */
export async function waitForOrphanedPublisher(
  context: StepContext,
  { branch, commit }: Pick<PublishParams, "branch" | "commit">,
): Promise<AgentPublication> {
  const ending = await runAgent(forPublishing(context, branch), "publish", () => {
    throw new Error(`run ${context.run.id} has neither an agent nor a forge to publish with`);
  });
  const summary = [
    `an agent was publishing "${branch}" when \`forge\` was removed from the settings or became unusable, so the result could not be verified.`,
    `Check that the branch is at ${commit} and that it has a change request. Then restore \`forge\` and retry.`,
  ].join(" ");
  return { failure: outcomeOf("policy_failed", summary, { branch, commit }), end: endOf(context, ending), granted: [] };
}

/** No files are copied from the person's checkout into the workspace. */
function forPublishing(context: StepContext, branch: string): StepContext {
  const { task, settings } = context;
  const workspace = { ...settings.workspace, copy: [], link: [] };
  return { ...context, task: { ...task, branch }, settings: { ...settings, workspace } };
}

async function verifyEnding(
  context: StepContext,
  target: PublishTarget,
  { outcome }: AgentEnding,
): Promise<Outcome | null> {
  const after = { ...(await readPublished(context, target)), hadAgent: true };
  const violation = findViolation(after, target);
  if (violation !== null) return violation;
  if (outcome.name === "opened") return verifyReport(after, target, outcome.payload.url);
  if (after.head === target.commit && after.request !== null) return null;
  return explainUnpublished(outcome, after, target);
}

/** Whether the failure has a default edge that needs no person. It then keeps its outcome. */
function hasAutomaticEdge(outcome: Outcome): outcome is Outcome<"cancel"> | Failure {
  const edge = defaultEdge(outcome.name, { kind: "publish" });
  return (outcome.name === "cancel" || isFailure(outcome)) && edge !== null && !needsPerson(edge);
}

/** Other outcomes become `agent_error`, which is retried: the change is still good and no person is available at night. */
function explainUnpublished(
  outcome: Outcome,
  { head }: PublishedState,
  { branch, commit, granted }: PublishTarget,
): Outcome {
  const reason = outcome.summary === "" ? outcome.name : `${outcome.name} – ${outcome.summary}`;
  const pushed = head === commit ? `; the branch "${branch}" is pushed, and no change request is open for it` : "";
  const name = hasAutomaticEdge(outcome) ? outcome.name : "agent_error";
  const summary = `the agent did not publish the change: ${reason}${pushed}`;
  return { ...outcomeOf(name, summary, { branch, commit, granted }), retryAt: outcome.retryAt };
}

function tokenVariables({ settings }: StepContext): readonly string[] {
  const name = settings.forge?.tokenEnv ?? null;
  return name === null ? [] : [name];
}

/** Recorded directly before the agent starts, so that people can see which runs had the token. */
async function recordTokenGrant({ ports, run }: StepContext, { forge, granted }: PublishTarget): Promise<void> {
  const names = granted.map((name) => `$${name}`).join(", ");
  await ports.store.events.appendEvents([
    newEvent({
      at: ports.clock.now(),
      task: run.task,
      run: run.id,
      type: "run.note",
      level: "warning",
      summary: `the agent of this run holds the forge's token (${names} for ${forge.repository}), because improve.publish is agent`,
      data: { granted },
    }),
  ]);
}

interface DescribeParams {
  readonly credentials: ForgeCredentials;
  /** Current commit of the remote branch; "" if it does not exist. */
  readonly currentHead: string;
}

async function describePublishing(
  context: StepContext,
  { branch, commit, text }: PublishParams,
  { credentials, currentHead }: DescribeParams,
): Promise<string> {
  const target = await targetBranch(context);
  const title = context.ports.secrets.redact(text.title);
  const ref = `refs/heads/${branch}`;
  return [
    `branch: ${branch}`,
    `commit: ${commit}`,
    `to be merged into: ${target}`,
    `title: ${title}`,
    "",
    `1. git push --force-with-lease=${ref}:${currentHead} origin ${commit}:${ref}`,
    `2. ${credentials.openCommand({ branch, target, title })}`,
  ].join("\n");
}
