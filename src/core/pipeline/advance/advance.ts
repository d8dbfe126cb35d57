import { withFullStop } from "../../text/with-full-stop.ts";
import { defaultEdge } from "../edges.ts";
import { approveState } from "../gates.ts";
import { askAboutBranch, isAboutBranch, withBranchDecision } from "./decide-branch.ts";
import { applyChecksDecision, askAboutChecks } from "./decide-checks.ts";
import { endVariant } from "../end-variant.ts";
import { enterState, goToEnd, type EnterParams, type Move } from "./enter-state.ts";
import type { Actor, EventDraft } from "../../task/event.ts";
import { entryOf, isFailure, outcomeOf, type Outcome } from "../../outcomes/outcome.ts";
import type { DefaultEdge } from "../../outcomes/outcome-entry.ts";
import type { Facts, Pipeline, State, Target } from "../pipeline.ts";
import { describeTried, giveUpItem, retryItem, restartList, restartsList, discardWork } from "../items.ts";
import { postsReview } from "../pipeline-graph.ts";
import { dropOutdatedVerdict } from "../verdict.ts";
import { applyOutcome } from "./apply-outcome.ts";
import { askForReply } from "../ask-for-reply.ts";
import { askPerson } from "./ask-person.ts";
import { recordMove } from "./record-move.ts";
import { stopAsRequested } from "../stop-after.ts";
import { outcomeTrigger, replyTrigger, resumeTrigger, retryTrigger, tryAgainTrigger } from "../triggers.ts";
import {
  backOff,
  countRun,
  endFailureRow,
  increment,
  itemCounts,
  ownNumber,
  runCounts,
  withFreshRepairs,
} from "../counters.ts";
import { backoffDelayMs, parkDelayMs } from "../../task/retry.ts";
import { documentOf, type TaskDocument } from "../../task/documents/document.ts";
import { parkKindOf, queuedForAgent, withAgent, type ParkedAgent } from "../../task/parked-agent.ts";
import type { Role } from "../../task/role.ts";
import type { StepKind } from "../../task/run.ts";
import { hasEnded, type QueuedFor, type QueueReason, type Task, type Trigger } from "../../task/task.ts";

export interface AdvanceParams {
  readonly pipeline: Pipeline;
  readonly task: Task;
  readonly outcome: Outcome;
  /** The run that ended in this outcome; null for a person's decision. */
  readonly run: EndedRun | null;
  readonly actor: Actor;
  readonly facts: Facts;
  /** Settings that override a limit of the pipeline, by the limit's name (`repair`). */
  readonly limits: Readonly<Record<string, number>>;
  /** Agent that takes over when the run's agent has used up its quota. */
  readonly fallbackAgent?: string | null;
  /** The agent of the run, if it is parked now. */
  readonly parked?: ParkedAgent | null;
  /** SHA-256; a parameter, because core must not import node:crypto. */
  readonly digest: (text: string) => string;
  readonly at: number;
}

interface EndedRun {
  readonly id: string;
  readonly role: Role | null;
  readonly step: StepKind;
  /** False if only a person may start the step again. Missing: it may be repeated. */
  readonly mayRepeat?: boolean;
}

export interface Advance {
  readonly task: Task;
  readonly events: readonly EventDraft[];
  readonly next: NextRun | null;
  /** The document that the outcome contains, to be stored with the task. Missing if it contains none. */
  readonly document?: TaskDocument;
}

export interface NextRun {
  readonly state: string;
  readonly step: StepKind;
  readonly role: Role | null;
  readonly attempt: number;
  readonly notBefore: number | null;
  readonly trigger: Trigger | null;
}

/** Decides what a task does next. This is the only place that does so; its result is stored in one transaction. */
export function advance(given: AdvanceParams): Advance {
  const params = { ...given, outcome: dropOutdatedVerdict(given.outcome, given.task) };
  const { pipeline, task } = params;
  if (hasEnded(task)) return { task, events: [], next: null };
  const state = pipeline.states[task.state];
  if (state === undefined)
    return recordMove(params, goToEnd(params, "failed", `pipeline ${pipeline.name} has no state ${task.state}`));
  const document =
    params.run === null
      ? null
      : documentOf(params.outcome, task.documents, {
          ...params,
          run: params.run.id,
          keepsReviews: postsReview(pipeline),
        });
  const updated = { ...params, task: endFailureRow(countRun(applyOutcome(params, document), params), params) };
  const decided = recordApproval(params, endVariant(updated, state, decide(updated, state)));
  const move = recordMove(updated, stopAsRequested(params, decided));
  return { ...move, ...(document !== null && { document }) };
}

/** A decision that moves a task out of a wait. What happens at the forge can do so, too, but approves nothing. */
function recordApproval({ task: before, outcome }: AdvanceParams, move: Move): Move {
  if (entryOf(outcome.name).class !== "decision") return move;
  if (before.waitingFor === null || move.end !== null || move.task.state === before.state) return move;
  return { ...move, task: approveState(move.task) };
}

/** The first move of a new task. */
export function begin(params: AdvanceParams): Advance {
  return recordMove(params, enterState({ ...params, to: params.pipeline.start, role: null, trigger: null }));
}

/** Continues an ended or stuck task at `state` after a person's request, with all limits reset. */
export function reopen(
  params: AdvanceParams,
  state: string,
  first: { readonly role: Role | null; readonly trigger: Trigger } = { role: null, trigger: retryTrigger(params) },
): Advance {
  const counters = runCounts(params.task);
  const ended: Task = { ...params.task, status: "queued", counters, outcome: null, reason: null, finishedAt: null };
  if (ended.items !== null && restartsList(params.pipeline, state))
    return begin({ ...params, task: restartList(ended) });
  const task = retryItem(ended);
  const move = enterState({ ...params, task, to: state, ...first });
  return recordMove({ ...params, task }, { ...move, task: approveState(move.task) });
}

function decide(params: AdvanceParams, state: State): Move {
  const { task, outcome } = params;
  if (outcome.name === "timeout" && outcome.payload.final === true) {
    const results = describeTried(task.items?.tried ?? []);
    const move = goToEnd(params, "failed", results === "" ? outcome.summary : `${results}\n${outcome.summary}`);
    return task.items === null || move.end === null
      ? move
      : { ...move, end: { ...move.end, outcome: move.task.state } };
  }
  if (outcome.name === "answered" && state.step.kind !== "wait")
    return repeatStep(params, replyTrigger(params, "answers"));
  if (outcome.name === "chosen") {
    if (isAboutBranch(task.waitingFor)) return applyBranchDecision(params, outcome.payload.option);
    const chosen = applyChecksDecision(params, state) ?? applyChoice(params, state, outcome.payload.option);
    if (chosen !== null) return chosen;
  }
  const targets = state.on[outcome.name];
  if (targets !== undefined) return followTargets(withNextStep(params), targets);
  const edge = defaultEdge(outcome.name, state.step);
  if (edge !== null) return takeDefaultEdge(params, edge);
  // Treat an outcome without an edge as an invalid report, so that it neither throws nor loops forever.
  const unknown = outcomeOf(
    "invalid_output",
    `state "${task.state}" has no edge for outcome "${outcome.name}" (it has: ${Object.keys(state.on).join(", ")})`,
  );
  return takeDefaultEdge({ ...params, outcome: unknown }, { do: "again", max: 1, then: "fail" });
}

/** A person who chooses a fix also says whether it needs a plan. */
function withNextStep(params: AdvanceParams): AdvanceParams {
  const { outcome, facts } = params;
  if (outcome.name !== "chosen") return params;
  return { ...params, facts: { ...facts, skip_plan: outcome.payload.then === "implement" } };
}

function followTargets(params: AdvanceParams, targets: readonly Target[]): Move {
  const matching = targets.filter(({ when }) => when === null || params.facts[when.fact] === when.holds);
  const [only] = matching;
  if (only !== undefined && matching.length === 1) return takeTarget(params, only);
  const why = params.outcome.summary || params.outcome.name;
  const problem = matching.length === 0 ? ` (no edge from "${params.task.state}" applies)` : "";
  return askPerson(params, `${why}${problem}`, targets);
}

function takeTarget(params: AdvanceParams, target: Target): Move {
  const { task } = params;
  // Without options of an agent, a person chooses the next state.
  if (target.ask === "choice" && params.outcome.name !== "options_proposed")
    return askPerson(params, params.outcome.summary, []);
  if (target.ask !== null) return askForReply(params, target.ask);
  const to = target.to ?? task.state;
  if (target.next !== null) return moveToNextItem(params, target);
  const trigger = outcomeTrigger(params);
  if (target.limit === null)
    return enterAfterOutcome({ ...params, task: withRound(params), to, role: target.role, trigger });
  const { name } = target.limit;
  const max = ownNumber(params.limits, name) ?? target.limit.max;
  const used = ownNumber(task.counters, name) ?? 0;
  if (used >= max) {
    const summary = `${params.outcome.summary} (limit "${name}" of ${max} used up)`;
    return takeElse({ ...params, outcome: { ...params.outcome, summary } }, target.else, trigger);
  }
  const counted = increment(withFreshRepairs(params, name), name);
  return enterAfterOutcome({ ...params, task: counted, to, role: target.role, trigger });
}

/** Without a limit, only a person may start a round with fresh repairs, because agents could do so forever. */
function withRound(params: AdvanceParams): Task {
  const isReviewOfPerson = params.run === null && params.outcome.name === "changes_requested";
  return isReviewOfPerson ? withFreshRepairs(params, null) : params.task;
}

/** Every run that follows a failure starts with a delay, whatever the pipeline says. */
function enterAfterOutcome(params: EnterParams): Move {
  if (params.run === null || !isFailure(params.outcome)) return enterState(params);
  const { task, queuedFor } = backOff(params);
  return enterState({ ...params, task, queuedFor });
}

function takeElse(params: AdvanceParams, target: Target["else"], trigger: Trigger | null): Move {
  if (target === null) return goToEnd(params, "failed", params.outcome.summary);
  return typeof target === "string"
    ? enterAfterOutcome({ ...params, to: target, role: null, trigger })
    : takeTarget(params, target);
}

function moveToNextItem(params: AdvanceParams, target: Target): Move {
  const { task, outcome } = params;
  if (task.items === null) return takeElse(params, target.else, null);
  const items = giveUpItem(task.items, outcome);
  if (items.at + 1 >= items.list.length) return finishList(params, { ...task, items }, target.else);
  // Limits are reset for each item. The number of runs per role is not, because agents see it as their attempt.
  const moved = { ...discardWork(task), counters: itemCounts(task), items: { ...items, at: items.at + 1 } };
  return enterAfterOutcome({ ...params, task: moved, to: target.to ?? task.state, role: target.role, trigger: null });
}

/** The end state's name becomes the outcome; the reason lists the result of each item. */
function finishList(params: AdvanceParams, task: Task, target: Target["else"]): Move {
  const move = takeElse({ ...params, task: discardWork(task) }, target, null);
  if (move.end === null || task.items === null) return move;
  const reason = describeTried(task.items.tried) || move.end.reason;
  // Keep the last item's branch, because people may want to look at it.
  const { branch, headCommit } = task;
  return {
    ...move,
    task: { ...move.task, branch, headCommit },
    end: { ...move.end, reason, outcome: move.task.state },
  };
}

function takeDefaultEdge(params: AdvanceParams, edge: DefaultEdge): Move {
  const { task, outcome } = params;
  const repeats = edge.do === "park" || edge.do === "again";
  if (repeats && params.run?.mayRepeat === false) return askPerson(params, describeUnrepeatable(outcome), []);
  switch (edge.do) {
    case "park":
      return park(params, queueFor(outcome) ?? edge.queue);
    case "again":
      return tryAgain(params, edge);
    case "ask":
      return askForReply(params, edge.what);
    case "decide":
      return askAboutChecks(params);
    case "branch":
      return askAboutBranch(params);
    case "person":
      return askPerson(params, outcome.summary, []);
    case "fail":
      return goToEnd(params, "failed", outcome.summary);
    case "cancel":
      return goToEnd({ ...params, task }, "cancelled", outcome.summary);
  }
}

function describeUnrepeatable({ name, summary }: Outcome): string {
  return `${withFullStop(summary || name)} The agent works directly in your directories and may have changed files already, so it is not started again by itself. Look at the files, then retry it or end the task.`;
}

/** The git remote and this machine are not the model provider, so a task that waits for them says so. */
function queueFor(outcome: Outcome): QueueReason | null {
  return outcome.name === "provider_down" ? (outcome.payload.waits_for ?? null) : null;
}

function park(params: AdvanceParams, kind: QueueReason): Move {
  const fallback = params.fallbackAgent ?? null;
  if (kind === "quota" && fallback !== null) return switchToFallbackAgent(params, fallback);
  // The agent is parked as a whole, so the task starts when the agent does.
  const parked = parkKindOf(params.outcome) === null ? null : (params.parked ?? null);
  if (parked !== null) return repeatStep(params, resumeTrigger(params), queuedForAgent(parked));
  const counter = `${params.task.state}:park`;
  const task = increment(params.task, counter);
  // A run that waits for capacity is admitted only when there is some, so a short delay is enough.
  const delayMs = kind === "capacity" ? backoffDelayMs : parkDelayMs;
  const until = params.outcome.retryAt ?? params.at + delayMs(task.counters[counter] ?? 1);
  return repeatStep({ ...params, task }, resumeTrigger(params), { kind, until, reason: params.outcome.summary });
}

/** Repeats the step with the fallback agent, based on the work so far. It also does the rest of the task. */
function switchToFallbackAgent(params: AdvanceParams, agent: string): Move {
  const task = withAgent(params.task, agent);
  // An agent cannot resume another agent's session.
  return repeatStep({ ...params, task }, { ...resumeTrigger(params), run: null });
}

function tryAgain(params: AdvanceParams, edge: Extract<DefaultEdge, { do: "again" }>): Move {
  const { outcome } = params;
  // A stuck agent is nudged once, whether or not it timed out before.
  const isStuck = outcome.name === "timeout" && outcome.payload.stuck === true;
  const counter = `${params.task.state}:${isStuck ? "stuck" : outcome.name}`;
  const used = params.task.counters[counter] ?? 0;
  if (used >= edge.max && outcome.name === "interrupted") return treatAsAgentError(params, used + 1);
  if (used >= edge.max) return giveUp(params, edge.then, `${outcome.summary} (tried ${used + 1} times)`);
  if (outcome.name === "agent_error" && hasSameError(params))
    return giveUp(params, edge.then, `${outcome.summary} (the same error twice in a row; not retried)`);
  const { task, queuedFor } = backOff({ ...params, task: increment(params.task, counter) });
  return repeatStep({ ...params, task }, tryAgainTrigger(params), queuedFor);
}

/** After too many lost supervisors, the interruption counts as an agent error and as an attempt. */
function treatAsAgentError(params: AdvanceParams, times: number): Move {
  const { outcome } = params;
  const counted = increment(params.task, `${params.task.state}:${outcome.name}`);
  const error = outcomeOf("agent_error", `${outcome.summary} (interrupted ${times} times)`);
  const failed = { ...params, outcome: error, task: countRun(counted, { ...params, outcome: error }) };
  return tryAgain(failed, { do: "again", max: 2, then: "fail" });
}

function giveUp(params: AdvanceParams, then: "fail" | "person", reason: string): Move {
  const withoutVerdict = params.pipeline.states[params.task.state]?.on.no_verdict;
  if (withoutVerdict !== undefined)
    return followTargets({ ...params, outcome: outcomeOf("no_verdict", reason) }, withoutVerdict);
  return then === "fail" ? goToEnd(params, "failed", reason) : askPerson(params, reason, []);
}

/** Another retry after the same error would only cost money. */
function hasSameError({ task, outcome, run }: AdvanceParams): boolean {
  return (
    run !== null && task.trigger?.kind === "retry" && task.trigger.run !== null && task.trigger.text === outcome.summary
  );
}

function repeatStep(params: AdvanceParams, trigger: Trigger | null, queuedFor: QueuedFor | null = null): Move {
  return enterState({
    ...params,
    to: params.task.state,
    role: params.run?.role ?? askingRole(params),
    trigger,
    queuedFor,
    again: true,
  });
}

function applyBranchDecision(params: AdvanceParams, option: string): Move {
  const task = withBranchDecision(params.task, option);
  if (task === null) return goToEnd(params, "cancelled", params.outcome.summary);
  return repeatStep({ ...params, task }, task.trigger);
}

/** The role that asked the question that was just answered. An edge may have set another role than the state's own. */
function askingRole({ task, at }: AdvanceParams): Role | null {
  const exchange = task.conversation.at(-1);
  return exchange !== undefined && exchange.reply !== null && exchange.at === at ? (exchange.role ?? null) : null;
}

/** The option is one that an agent proposed, or a state name. Returns null if it is neither. */
function applyChoice(params: AdvanceParams, state: State, option: string): Move | null {
  const { task, pipeline } = params;
  // `applyOutcome` stored the reply in the agent's open proposal, if there was one.
  const exchange = task.conversation.at(-1);
  const isReply = exchange?.kind === "choice" && exchange.at === params.at && exchange.reply?.["option"] === option;
  const isProposal = isReply && exchange.about === undefined;
  if (isProposal && state.step.kind !== "wait") return repeatStep(params, replyTrigger(params, "choice"));
  if (isProposal) return null;
  const target = state.on.chosen?.find(({ to }) => to === option);
  if (target !== undefined) return takeTarget(params, target);
  if (pipeline.states[option] !== undefined)
    return enterState({ ...params, to: option, role: null, trigger: retryTrigger(params) });
  return state.step.kind === "wait" ? null : repeatStep(params, retryTrigger(params));
}
