import type { Outcome } from "../outcomes/outcome.ts";
import type { ReportedOption } from "../outcomes/payload-fields.ts";
import { toOptions, toQuestions } from "../outcomes/read-outcome.ts";
import type { Exchange } from "../task/task.ts";
import type { AdvanceParams } from "./advance/advance.ts";
import type { Move } from "./advance/enter-state.ts";
import { resumeTrigger } from "./triggers.ts";

/** Waits for a person's reply to the agent's questions or options. */
export function askForReply(params: AdvanceParams, what: "answers" | "choice"): Move {
  const { outcome, at } = params;
  const asking = params.run?.role ?? null;
  // A question of a variant is asked by the ranking. With the answer, the variants start again.
  const role = asking === "rank" ? "implement" : asking;
  // The reply goes to the run that asked.
  const task = { ...params.task, trigger: resumeTrigger(params) };
  if (what === "answers") {
    const questions = outcome.name === "needs_info" ? toQuestions(outcome.payload.questions) : [];
    const { baseCommit, headCommit } = task;
    const exchange: Exchange = {
      kind: "answers",
      state: task.state,
      role,
      asked: questions,
      reply: null,
      by: null,
      at,
      work: { baseCommit, headCommit },
    };
    return {
      task: { ...task, conversation: [...task.conversation, exchange] },
      waitingFor: { kind: "answers", questions, since: at },
      next: null,
      end: null,
    };
  }
  const options = toOptions(proposedOptions(outcome));
  const exchange = { kind: "choice", state: task.state, role, asked: options, reply: null, by: null, at } as const;
  return {
    task: { ...task, conversation: [...task.conversation, exchange] },
    waitingFor: { kind: "choice", reason: outcome.summary, options, since: at },
    next: null,
    end: null,
  };
}

function proposedOptions(outcome: Outcome): readonly ReportedOption[] {
  return outcome.name === "options_proposed" ? outcome.payload.options : [];
}
