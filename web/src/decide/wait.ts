import type { TaskJson } from "../../../src/http/client/client.ts";
import { plural } from "../ui/format.ts";

export type Waiting = NonNullable<TaskJson["waiting_for"]>;
export type WaitKind = Waiting["kind"];
export type WaitOf<Kind extends WaitKind> = Extract<Waiting, { readonly kind: Kind }>;
export type QuestionJson = WaitOf<"answers">["questions"][number];
export type OptionJson = WaitOf<"choice">["options"][number];

/** Whether a form that was opened for one wait still belongs to the task's current one. */
export function isSameWait(opened: Waiting, current: Waiting | null): boolean {
  return current !== null && opened.kind === current.kind && opened.since === current.since;
}

/** Whether another version of the document that a person reads now waits for their approval. */
export function isNewVersion(opened: Waiting, current: Waiting | null): boolean {
  return (
    opened.kind === "approval" &&
    current?.kind === "approval" &&
    opened.document?.kind === current.document?.kind &&
    opened.plan_hash !== current.plan_hash
  );
}

/** What a person has to do, as a heading: "Approve the plan", "Answer 3 questions". */
export function titleOf(waiting: Waiting): string {
  switch (waiting.kind) {
    case "approval":
      return `Approve the ${waiting.document?.kind ?? "plan"}`;
    case "answers":
      return `Answer ${plural(waiting.questions.length, "question")}`;
    case "choice":
      return waiting.about === null || waiting.about === "fix"
        ? `Choose 1 of ${plural(waiting.options.length, "way")}`
        : "Decide how to go on";
    case "review":
      return "Review the change";
    case "merge":
      return "Merge the change";
  }
}

/** The same in a list: "approve plan", "3 questions". */
export function describeWait(waiting: Waiting): string {
  switch (waiting.kind) {
    case "approval":
      return `approve ${waiting.document?.kind ?? "plan"}`;
    case "answers":
      return plural(waiting.questions.length, "question");
    case "choice":
      return `choose 1 of ${waiting.options.length}`;
    case "review":
      return "review";
    case "merge":
      return waiting.problem === null ? "merge" : "merge, there was a problem";
  }
}

export function isAboutMerge({ kind }: Waiting): boolean {
  return kind === "review" || kind === "merge";
}

/**
 * When the engine answers all questions with their defaults. Null if one of them has none, because then the task keeps waiting
 * for a person.
 */
export function answerDeadline(waiting: Waiting): string | null {
  if (waiting.kind !== "answers") return null;
  const times = waiting.questions.map(({ deadline, default: standard }) => (standard === null ? null : deadline));
  return times.includes(null) ? null : latest(times);
}

function latest(times: readonly (string | null)[]): string | null {
  return times.reduce((last, time) => (last === null || (time !== null && time > last) ? time : last), null);
}

/** Nearest deadline first, then the one that has waited longest. */
export function compareWaits(a: Waiting, b: Waiting): number {
  const [first, second] = [answerDeadline(a), answerDeadline(b)];
  if (first !== second) return first === null ? 1 : second === null ? -1 : first.localeCompare(second);
  return a.since.localeCompare(b.since);
}
