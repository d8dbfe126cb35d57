import type { ChangeText } from "../../../core/nightly/describe-change.ts";
import { SYSTEM } from "../../../core/task/event.ts";
import { isFailure, type Failure, type Outcome } from "../../../core/outcomes/outcome.ts";
import { defaultEdge, needsPerson } from "../../../core/pipeline/edges.ts";
import type { Forge, ForgeCredentials } from "../../../ports/forge.ts";
import { targetBranch } from "../prepare/prepare-work.ts";
import { requireSandboxAllowsForge } from "../../nightly/agent-publishing.ts";
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
import { agentPublishes } from "../../nightly/agent-publishing.ts";

/** Says in the run's record who publishes: an agent where the user chose so for the nights, otherwise the engine. */
export async function markPublisher(context: StepContext): Promise<StepContext> {
  const { ports, run, lease, state } = context;
  if (state.step.kind !== "publish") return context;
  // What was begun goes on as it was begun, whatever the settings say by now.
  const byAgent = agentPublishes(context) || (await wasStarted(ports, run.id));
  const who = byAgent ? ({ step: "agent", role: "publish" } as const) : ({ step: "publish", role: null } as const);
  if (run.role === who.role) return context;
  await ports.store.tasks.updateRun(lease, who);
  return { ...context, run: { ...run, ...who } };
}

export interface AgentPublication {
  /** Null: the branch is there as it was judged, and so is its change request where an agent was to open it. */
  readonly failure: Outcome | null;
  readonly end: Partial<StepResult>;
  /** The names of what was lent. */
  readonly granted: readonly string[];
}

export interface AgentPublishParams {
  readonly forge: Forge;
  readonly text: ChangeText;
  readonly branch: string;
  readonly commit: string;
}

/**
 * An agent pushes the judged commit and opens the change request, with the forge's token lent to its run alone. What it
 * reports is a claim: before and after, the remote and the forge are asked what is there.
 */
export async function publishWithAgent(
  context: StepContext,
  work: Work,
  given: AgentPublishParams,
): Promise<AgentPublication> {
  const { ports, run } = context;
  const place: PublishTarget = { ...given, granted: tokenNames(context) };
  const begun = await wasStarted(ports, run.id);
  const before = begun ? null : await readPublished(context, place);
  const wrong = before === null ? null : findViolation(before, place);
  if (wrong !== null) return { failure: wrong, end: {}, granted: [] };
  // An agent that was ended after it had done everything need not do it again.
  if (before?.request != null && before.head === place.commit) return { failure: null, end: {}, granted: [] };
  const there = inBranch(context, given.branch);
  const squashed = { baseCommit: work.baseCommit, headCommit: given.commit };
  const ending = await runAgent(there, "publish", async () => {
    const loan = given.forge.issueCredentials();
    requireSandboxAllowsForge(context.settings, loan);
    const data = { publishing: await describePublishing(context, given, { loan, expected: before?.head ?? "" }) };
    return startAgent(there, "publish", squashed, {
      credentials: loan,
      data,
      onStart: () => recordTokenGrant(context, place),
    });
  });
  const { granted } = place;
  const failure = await verifyEnding(context, place, ending);
  return { failure, end: endOf(context, ending), granted };
}

/** Its forge is gone from the settings: it is waited for, and nobody can be asked what it did there. */
export async function waitForOrphanedPublisher(
  context: StepContext,
  { branch, commit }: Pick<AgentPublishParams, "branch" | "commit">,
): Promise<AgentPublication> {
  const ending = await runAgent(inBranch(context, branch), "publish", () => {
    throw new Error(`run ${context.run.id} has neither an agent nor a forge to publish by`);
  });
  const summary = [
    `an agent was publishing "${branch}" while \`forge\` was taken out of the settings or cannot be used as they have it now, so nobody could look at what it did.`,
    `Judged was ${commit}: look whether the branch is that, and whether it has a change request. Then put \`forge\` back and retry.`,
  ].join(" ");
  return { failure: outcomeOf("policy_failed", summary, { branch, commit }), end: endOf(context, ending), granted: [] };
}

/** The workspace holds the commit and nothing of the person's checkout. */
function inBranch(context: StepContext, branch: string): StepContext {
  const { task, settings } = context;
  const workspace = { ...settings.workspace, copy: [] };
  return { ...context, task: { ...task, branch }, settings: { ...settings, workspace } };
}

async function verifyEnding(
  context: StepContext,
  place: PublishTarget,
  { outcome }: AgentEnding,
): Promise<Outcome | null> {
  const after = { ...(await readPublished(context, place)), hadAgent: true };
  const wrong = findViolation(after, place);
  if (wrong !== null) return wrong;
  if (outcome.name === "opened") return verifyReport(after, place, outcome.payload.url);
  if (after.head === place.commit && after.request !== null) return null;
  return explainUnpublished(outcome, after, place);
}

/** A failure whose default edge needs no person goes its own way. */
function isPassedOn(outcome: Outcome): outcome is Outcome<"cancel"> | Failure {
  const edge = defaultEdge(outcome.name, { kind: "publish" });
  return (outcome.name === "cancel" || isFailure(outcome)) && edge !== null && !needsPerson(edge);
}

/** Whatever else it came to: the change is as good as before, and nobody can be asked at night. */
function explainUnpublished(
  outcome: Outcome,
  { head }: PublishedState,
  { branch, commit, granted }: PublishTarget,
): Outcome {
  const said = outcome.summary === "" ? outcome.name : `${outcome.name} – ${outcome.summary}`;
  const pushed = head === commit ? `; the branch "${branch}" is pushed, and no change request is open for it` : "";
  const name = isPassedOn(outcome) ? outcome.name : "agent_error";
  const summary = `the agent that was to publish did not: ${said}${pushed}`;
  return { ...outcomeOf(name, summary, { branch, commit, granted }), retryAt: outcome.retryAt };
}

function tokenNames({ settings }: StepContext): readonly string[] {
  const name = settings.forge?.tokenEnv ?? null;
  return name === null ? [] : [name];
}

/** Just before the agent starts: whoever looks at the night sees that it held the token. */
async function recordTokenGrant({ ports, run }: StepContext, { forge, granted }: PublishTarget): Promise<void> {
  const names = granted.map((name) => `$${name}`).join(", ");
  await ports.store.events.appendEvents([
    {
      at: ports.clock.now(),
      task: run.task,
      run: run.id,
      type: "run.note",
      level: "warning",
      actor: SYSTEM,
      summary: `the agent of this run holds the forge's token (${names} for ${forge.place}), since improve.publish is agent`,
      data: { granted },
    },
  ]);
}

interface DescribeParams {
  readonly loan: ForgeCredentials;
  /** What the branch is there now; "" for not at all. */
  readonly expected: string;
}

async function describePublishing(
  context: StepContext,
  given: AgentPublishParams,
  { loan, expected }: DescribeParams,
): Promise<string> {
  const { branch, commit, text } = given;
  const target = await targetBranch(context);
  const title = context.ports.secrets.redact(text.title);
  const ref = `refs/heads/${branch}`;
  return [
    `branch: ${branch}`,
    `commit: ${commit}`,
    `to be merged into: ${target}`,
    `title: ${title}`,
    "",
    `1. git push --force-with-lease=${ref}:${expected} origin ${commit}:${ref}`,
    `2. ${loan.openCommand({ branch, target, title })}`,
  ].join("\n");
}
