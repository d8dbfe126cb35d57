import { createContext, type RefObject, useContext } from "react";
import type { TaskJson } from "../../../src/http/client/client.ts";
import { useRefusal, useSession } from "../app/session.ts";
import { useConnection } from "../api/live.ts";

/** The decision that a form is part of. */
interface Decision {
  /** The task as it was when the form was opened. */
  readonly task: TaskJson;
  /** Why nothing can be sent any more, such as "bob answered this." Null while the task waits for this decision. */
  readonly ended: string | null;
  readonly root: RefObject<HTMLElement | null>;
  /** A decision of this form is on its way, so an end of the wait is probably its own. */
  readonly setSending: (isSending: boolean) => void;
  /** Called after the daemon accepted the decision, with a sentence that says what is now true. */
  readonly finish: (message: string) => void;
}

export const DecisionContext = createContext<Decision | null>(null);

export function useDecision(): Decision {
  const decision = useContext(DecisionContext);
  if (decision === null) throw new Error("A decision form must be inside of DecideTask.");
  return decision;
}

const MAX_TITLE = 80;

/** For messages and dialogs. */
export function shortTitle({ title }: Pick<TaskJson, "title">): string {
  return title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE)}…` : title;
}

/**
 * Why a button of a decision does not work now, or null. While the daemon does not answer, the buttons work: what a person
 * presses is sent when it answers again.
 */
export function useDecisionRefusal(right: "approve" | "submit", what: string): string | null {
  const { ended } = useDecision();
  const refusal = useRefusal(right, what);
  const { state } = useConnection();
  // The daemon checks the right as well, so a key that is pressed before the page knows it does no harm.
  const isKnown = useSession() !== null || state === "signed-out";
  return ended ?? (state === "away" || !isKnown ? null : refusal);
}
