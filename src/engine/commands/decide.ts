import { needsReason } from "../../core/pipeline/advance/decide-checks.ts";
import { possibleActions } from "../../core/pipeline/possible-actions.ts";
import { NIGHT_WORK } from "../../core/schedule/schedule.ts";
import { advance } from "../../core/pipeline/advance/advance.ts";
import { UserError } from "../../core/text/errors.ts";
import { decisionData } from "../../core/task/decision.ts";
import { newEvent, type Actor, type EventDraft } from "../../core/task/event.ts";
import { planProblems } from "../../core/outcomes/execution-plan.ts";
import type { Outcome } from "../../core/outcomes/outcome.ts";
import { describeTask } from "../../core/notices/notice.ts";
import type { Choice } from "./commands-contract.ts";
import type { Task, WaitingFor } from "../../core/task/task.ts";
import { hasEnded } from "../../core/task/task.ts";
import { SHORT_HASH_LENGTH, shortHash } from "../../core/text/short-hash.ts";
import { terminalText } from "../../core/text/terminal-text.ts";
import { advanceParams } from "../advance-params.ts";
import { closeNotice } from "../deliver/forge-channels.ts";
import { pipelineOf, policyOf } from "../pipeline-of.ts";
import type { EnginePorts } from "../ports.ts";
import { outcomeOf, redactOutcome } from "../run/step-context.ts";
import { editPlan, type EditedPlan } from "./edit-plan.ts";
import { requireProject } from "./require/require-project.ts";
import { transact, type Decision } from "../transact.ts";

/** The approval holds for the document with this hash, so one that changed since needs a new approval. */
export function approve(
  ports: EnginePorts,
  id: string,
  { planHash, plan, actor }: { planHash: string | null; plan: unknown; actor: Actor },
): Promise<Task> {
  const toOutcome = (task: Task): Outcome => {
    const waiting = requireWaiting(task, ["approval", "review"], "approve");
    if (waiting.kind === "approval" && waiting.planHash !== null && !isHashOf(waiting.planHash, planHash))
      throw new UserError(
        "conflict",
        describeWrongHash(planHash, nameOfDocument(task)),
        `Read it with "nightshift show ${task.id}", then approve it with --plan ${shortHash(waiting.planHash)}.`,
      );
    if (waiting.kind === "approval" && plan === null) requireGrantable(task);
    return outcomeOf("approve", plan === null ? `approved by ${actor.name}` : `edited and approved by ${actor.name}`);
  };
  return decideWith(ports, id, {
    actor,
    toOutcome,
    ...(plan !== null && { edit: (task) => editPlan(ports, task, plan) }),
  });
}

/** A plan that is approved gets all that it asks for. */
function requireGrantable(task: Task): void {
  const problems = planProblems(task.plan);
  if (problems.length === 0) return;
  throw new UserError(
    "conflict",
    `The plan of ${task.id} asks for what cannot be granted:\n${problems.map((each) => `- ${each}`).join("\n")}`,
    `Run "nightshift revise ${task.id} <feedback>" to request a new plan, or "nightshift approve ${task.id} --edit" to correct this one.`,
  );
}

/** The beginning of a hash is enough, but not so little that an agent could write another plan that has it as well. */
function isHashOf(hash: string, given: string | null): boolean {
  return given === hash || (given !== null && given.length >= SHORT_HASH_LENGTH && hash.startsWith(given));
}

function describeWrongHash(given: string | null, document: string): string {
  if (given === null) return `The ${document}'s hash is missing.`;
  if (given.length < SHORT_HASH_LENGTH)
    return `The ${document}'s hash is too short: at least ${SHORT_HASH_LENGTH} characters are needed.`;
  return `The ${document} changed since it was shown.`;
}

/** People approve the newest document. */
function nameOfDocument({ documents }: Task): string {
  return documents.at(-1)?.kind ?? "plan";
}

export function reject(ports: EnginePorts, id: string, params: { reason: string | null; actor: Actor }): Promise<Task> {
  const { reason, actor } = params;
  const toOutcome = (task: Task): Outcome => {
    requireWaiting(task, ["approval", "review", "merge"], "reject");
    return outcomeOf("reject", reason === null ? `rejected by ${actor.name}` : terminalText(reason));
  };
  const addMore: DecideParams["addMore"] = (before, after) => closeRejected(ports, { before, after, reason, actor });
  return decideWith(ports, id, { actor, toOutcome, addMore });
}

interface Rejected {
  readonly before: Task;
  readonly after: Task;
  readonly reason: string | null;
  readonly actor: Actor;
}

/** A rejection at the merge gate also closes the change request. Without one, the branch stays for people to look at. */
async function closeRejected(ports: EnginePorts, rejected: Rejected): Promise<Pick<Decision, "events" | "notices">> {
  const { before, after, reason, actor } = rejected;
  if (before.waitingFor?.kind !== "merge") return {};
  const at = ports.clock.now();
  const request = (await ports.store.tasks.listChangeRequests([before.id])).get(before.id);
  if (request === undefined) {
    const summary = `The branch ${before.branch ?? ""} stays on the remote.`;
    return { events: [newEvent({ at, task: before.id, type: "run.note", summary })] };
  }
  const why = reason === null ? "." : `: ${terminalText(reason)}`;
  const comment = ports.secrets.redact(`${actor.name} rejected this change in Nightshift${why}`);
  const { report } = await policyOf(ports, after);
  const data = describeTask(after, { report, runs: [], url: request.url, at });
  return { notices: [closeNotice(after, { comment, data: ports.secrets.redact(data), at })] };
}

export function revise(ports: EnginePorts, id: string, params: { feedback: string; actor: Actor }): Promise<Task> {
  return decide(ports, id, params.actor, (task) => {
    requireWaiting(task, ["approval"], "revise");
    const feedback = terminalText(params.feedback).trim();
    if (feedback === "") throw new UserError("invalid", "The feedback is empty.", "Say what should be different.");
    return outcomeOf("revise", feedback, { details: feedback });
  });
}

export function choose(ports: EnginePorts, id: string, params: Choice & { readonly actor: Actor }): Promise<Task> {
  return decide(ports, id, params.actor, (task) => {
    requireOption(task, params.option);
    const note = terminalText(params.note ?? "").trim();
    if (note === "" && needsReason(task, params.option))
      throw new UserError(
        "invalid",
        "This decision needs a reason.",
        `Say why with nightshift choose ${task.id} ${params.option} --note "…". The change request shows it.`,
      );
    return outcomeOf("chosen", note === "" ? `chose ${params.option}` : `chose ${params.option}: ${note}`, {
      option: params.option,
      note,
      then: params.then ?? "plan",
    });
  });
}

export function requireOption(task: Task, option: string): void {
  const waiting = requireWaiting(task, ["choice"], "choose");
  const options = waiting.kind === "choice" ? waiting.options : [];
  if (options.some(({ id }) => id === option)) return;
  throw new UserError("invalid", `"${option}" is not one of the options: ${options.map(({ id }) => id).join(", ")}.`);
}

interface DecideParams {
  readonly actor: Actor;
  readonly toOutcome: (task: Task) => Outcome;
  /** Changes the plan before the decision about it. */
  readonly edit?: (task: Task) => Promise<EditedPlan>;
  /** What is stored with the decision. */
  readonly addMore?: (before: Task, after: Task) => Promise<Pick<Decision, "events" | "notices">>;
}

export function decide(
  ports: EnginePorts,
  id: string,
  actor: Actor,
  toOutcome: (task: Task) => Outcome,
): Promise<Task> {
  return decideWith(ports, id, { actor, toOutcome });
}

async function decideWith(ports: EnginePorts, id: string, params: DecideParams): Promise<Task> {
  const { actor, toOutcome, edit, addMore } = params;
  const { task } = await transact(ports, id, null, async (found) => {
    const outcome = redactOutcome(ports, toOutcome(found));
    const { task: before, document } = (await edit?.(found)) ?? { task: found };
    const settings = await ports.projects.settings(await requireProject(ports.store, before.project));
    const at = ports.clock.now();
    const pipeline = await pipelineOf(ports, before);
    const advanced = advance(advanceParams(ports, { pipeline, settings, task: before, outcome, actor, at }));
    const { events = [], ...more } = (await addMore?.(before, advanced.task)) ?? {};
    return {
      ...more,
      advance: { ...advanced, ...(document !== undefined && { document }) },
      events: [decisionEvent(before, { ...outcome, data: hashOf(before) }, actor, at), ...events],
    };
  });
  return task;
}

/** The document that an approval, a rejection or a request for changes is about. */
function hashOf({ waitingFor }: Task): { readonly plan_hash?: string } {
  const hash = waitingFor?.kind === "approval" ? waitingFor.planHash : null;
  return hash === null ? {} : { plan_hash: hash };
}

export function decisionEvent(
  task: Task,
  { name, summary, data = {} }: Pick<Outcome, "name" | "summary"> & { readonly data?: EventDraft["data"] },
  actor: Actor,
  at: number,
): EventDraft {
  return newEvent({
    at,
    task: task.id,
    type: "task.decided",
    actor,
    summary: `${name}: ${summary}`,
    data: decisionData(name, actor, data),
  });
}

const WAIT_WORDS: Readonly<Record<WaitingFor["kind"], string>> = {
  approval: "an approval",
  answers: "answers",
  choice: "a choice",
  review: "a review",
  merge: "its merge",
};

export function requireWaiting(task: Task, kinds: readonly WaitingFor["kind"][], verb: string): WaitingFor {
  if (task.waitingFor !== null && kinds.includes(task.waitingFor.kind)) return task.waitingFor;
  const now = hasEnded(task)
    ? `it has ended (${task.status})`
    : task.waitingFor === null
      ? `it is ${task.status} in "${task.state}"`
      : `it waits for ${WAIT_WORDS[task.waitingFor.kind]}`;
  throw new UserError("conflict", `There is nothing to ${verb} on ${task.id}: ${now}.`, describeActions(task));
}

/** The hint of a refused command. */
export function describeActions(
  { id, status, waitingFor, queuedFor, pipeline }: Task,
  more: { readonly takesComments?: boolean } = {},
): string {
  const facts = {
    ...more,
    waitsFor: waitingFor?.kind ?? null,
    isParked: queuedFor !== null,
    isNight: pipeline === NIGHT_WORK.pipeline,
  };
  return `Possible now: ${possibleActions(status, facts).join(", ")}. "nightshift show ${id}" has the details.`;
}
