import type { AdvanceParams } from "./advance.ts";
import { enterState, goToEnd, type Move } from "./enter-state.ts";
import type { OutcomeName } from "../../outcomes/outcome.ts";
import type { State, Target } from "../pipeline.ts";
import { needsNote } from "../../task/needs-note.ts";
import type { Role } from "../../task/role.ts";
import type { Exchange, Option, Task, WaitingFor } from "../../task/task.ts";

const OPTIONS = {
  publish: ["Publish it anyway", "Continue as if the checks had passed. The change is marked as not verified."],
  repair: ["Repair it", "Let the agent change it. It gets your note."],
  reject: ["Reject it", "Cancel the task. Nothing is published."],
} as const;

/** Waits until a person decides what happens to a change that the checks do not vouch for. */
export function askAboutChecks(params: AdvanceParams): Move {
  const { task, outcome, at } = params;
  const state = params.pipeline.states[task.state];
  const names = (["publish", "repair", "reject"] as const).filter(
    (name) => name === "reject" || (state !== undefined && findTarget(params, state, name) !== null),
  );
  const options = names.map((id): Option => {
    const [title, description] = OPTIONS[id];
    return { id, title, description, recommended: false };
  });
  const { summary: reason } = outcome;
  return {
    task: askAboutCommit(task, { commit: task.headCommit, options, reason, at }),
    waitingFor: { kind: "choice", reason, options, since: at, about: "checks" },
    next: null,
    end: null,
  };
}

interface CommitQuestion {
  /** Null if the task has no work yet. */
  readonly commit: string | null;
  readonly options: readonly Option[];
  readonly reason: string;
  readonly at: number;
  /** The role of the run that asks, which the reply continues. */
  readonly role?: Role | null;
}

/** Adds a question to the conversation. The reply holds for this commit only. */
export function askAboutCommit(task: Task, { commit, options, reason, at, role = null }: CommitQuestion): Task {
  const exchange: Exchange = {
    kind: "choice",
    state: task.state,
    role,
    asked: options,
    reply: null,
    by: null,
    at,
    ...(commit !== null && { about: { commit, reason } }),
  };
  return { ...task, conversation: [...task.conversation, exchange] };
}

/** Whether a person has to say why they choose this option. */
export function needsReason({ waitingFor, state }: Pick<Task, "waitingFor" | "state">, option: string): boolean {
  return waitingFor?.kind === "choice" && needsNote({ about: waitingFor.about ?? null, state }, option);
}

function isAboutChecks(waiting: WaitingFor | null): boolean {
  return waiting?.kind === "choice" && waiting.about === "checks";
}

/** Null if the task does not wait for this decision. */
export function applyChecksDecision(params: AdvanceParams, state: State): Move | null {
  const { task, outcome } = params;
  if (outcome.name !== "chosen" || task.waitingFor?.kind !== "choice" || !isAboutChecks(task.waitingFor)) return null;
  const { option, note = "" } = outcome.payload;
  if (option !== "publish" && option !== "repair") return goToEnd(params, "cancelled", outcome.summary);
  const target = findTarget(params, state, option);
  if (target === null) return null;
  const text = [note, task.waitingFor.reason].filter((part) => part.trim() !== "").join("\n\n");
  const trigger = option === "repair" ? ({ kind: "errors", text, run: null } as const) : null;
  return enterState({ ...params, to: target.to, role: target.role, trigger });
}

/** The decision of a person to publish this commit although the checks do not vouch for it. */
export function findPublishDecision(task: Pick<Task, "conversation">, commit: string): Exchange | null {
  return (
    task.conversation.findLast(({ about, reply }) => about?.commit === commit && reply?.["option"] === "publish") ??
    null
  );
}

/** The decision of a person to allow the findings that an agent kept in this commit after a warning. */
export function findAllowance(task: Pick<Task, "conversation">, commit: string): Exchange | null {
  return (
    task.conversation.findLast(({ about, state, reply }) => about?.commit === commit && reply?.["option"] === state) ??
    null
  );
}

type Followed = Pick<Target, "role"> & { readonly to: string };

/** `publish` goes on where passed checks lead, `repair` where failed ones lead. Limits do not bind a person. */
function findTarget(params: AdvanceParams, state: State, option: "publish" | "repair"): Followed | null {
  if (state.step.kind === "publish" && option === "publish") return { to: state.name, role: null };
  const checks = state.step.kind === "checks" ? state : findChecksBefore(params, state);
  const target =
    checks === null ? null : targetOf(params, checks, option === "publish" ? "checks_passed" : "checks_failed");
  if (target?.to == null) return null;
  const isEnd = params.pipeline.states[target.to]?.step.kind === "end";
  return option === "repair" && isEnd ? null : { to: target.to, role: target.role };
}

/** The checks whose success leads to this state, or else the first ones of the pipeline. */
function findChecksBefore({ pipeline }: AdvanceParams, { name }: State): State | null {
  const all = Object.values(pipeline.states).filter(({ step }) => step.kind === "checks");
  return all.find(({ on }) => on.checks_passed?.some(({ to }) => to === name)) ?? all[0] ?? null;
}

function targetOf({ facts }: AdvanceParams, { on }: State, outcome: OutcomeName): Target | null {
  return on[outcome]?.find(({ when }) => when === null || facts[when.fact] === when.holds) ?? null;
}
