import { advance } from "../../core/pipeline/advance.ts";
import { UserError } from "../../core/text/errors.ts";
import type { Actor, EventDraft } from "../../core/task/event.ts";
import type { Outcome } from "../../core/outcomes/outcome.ts";
import type { Question, Task, WaitingFor } from "../../core/task/task.ts";
import { hasEnded } from "../../core/task/task.ts";
import { terminalText } from "../../core/text/terminal-text.ts";
import { pipelineOf } from "../pipeline-of.ts";
import { factsOf, type EnginePorts } from "../ports.ts";
import { outcomeOf, redactOutcome } from "../run/step-context.ts";
import { findProject } from "./submit.ts";
import { transact } from "../transact.ts";

/** Binds to the plan that was shown: one that changed since must be looked at again. */
export function approve(
  ports: EnginePorts,
  id: string,
  given: { planHash: string | null; actor: Actor },
): Promise<Task> {
  return decide(ports, id, given.actor, (task) => {
    const waiting = waits(task, ["approval", "review"], "approve");
    if (waiting.kind === "approval" && waiting.planHash !== null && waiting.planHash !== given.planHash)
      throw new UserError(
        "conflict",
        given.planHash === null ? "the plan's hash is missing" : "the plan changed since it was shown",
        `look at it with nightshift show ${task.id}, then approve with --plan ${waiting.planHash}`,
      );
    return outcomeOf("approve", `approved by ${given.actor.name}`);
  });
}

export function reject(ports: EnginePorts, id: string, given: { reason: string | null; actor: Actor }): Promise<Task> {
  return decide(ports, id, given.actor, (task) => {
    waits(task, ["approval", "review", "merge"], "reject");
    return outcomeOf("reject", given.reason === null ? `rejected by ${given.actor.name}` : terminalText(given.reason));
  });
}

export function revise(ports: EnginePorts, id: string, given: { feedback: string; actor: Actor }): Promise<Task> {
  return decide(ports, id, given.actor, (task) => {
    waits(task, ["approval"], "revise");
    const feedback = terminalText(given.feedback).trim();
    if (feedback === "")
      throw new UserError("invalid", "the feedback is empty", "say what the plan should do differently");
    return outcomeOf("revise", feedback, { details: feedback });
  });
}

export function answer(
  ports: EnginePorts,
  id: string,
  given: { answers: Readonly<Record<string, string>>; actor: Actor },
): Promise<Task> {
  return decide(ports, id, given.actor, (task) => {
    const waiting = waits(task, ["answers"], "answer");
    const answers = checkAnswers(waiting.kind === "answers" ? waiting.questions : [], given.answers);
    const text = Object.entries(answers)
      .map(([question, reply]) => `${question}: ${reply}`)
      .join("\n");
    return outcomeOf("answered", text, answers);
  });
}

export function choose(
  ports: EnginePorts,
  id: string,
  given: { option: string; note: string | null; actor: Actor },
): Promise<Task> {
  return decide(ports, id, given.actor, (task) => {
    const waiting = waits(task, ["choice"], "choose");
    const options = waiting.kind === "choice" ? waiting.options : [];
    if (!options.some((option) => option.id === given.option))
      throw new UserError(
        "invalid",
        `"${given.option}" is not one of the options: ${options.map((option) => option.id).join(", ")}`,
      );
    const note = terminalText(given.note ?? "");
    return outcomeOf("chosen", note === "" ? `chose ${given.option}` : `chose ${given.option}: ${note}`, {
      option: given.option,
      note,
    });
  });
}

async function decide(ports: EnginePorts, id: string, actor: Actor, choice: (task: Task) => Outcome): Promise<Task> {
  const { task } = await transact(ports, id, null, async (before) => {
    const outcome = redactOutcome(ports, choice(before));
    const settings = await ports.projects.settings(await findProject(ports, before.project));
    const at = ports.clock.now();
    const advanced = advance({
      pipeline: await pipelineOf(ports, before),
      task: before,
      outcome,
      run: null,
      actor,
      facts: factsOf(before, settings),
      limits: { repair: settings.repairAttempts },
      digest: ports.digest,
      at,
    });
    return { advance: advanced, events: [decided(before, outcome, actor, at)] };
  });
  return task;
}

export function decided(
  task: Task,
  { name, summary }: Pick<Outcome, "name" | "summary">,
  actor: Actor,
  at: number,
): EventDraft {
  return {
    at,
    task: task.id,
    run: null,
    type: "task.decided",
    level: "info",
    actor,
    summary: `${name}: ${summary}`,
    data: { decision: name },
  };
}

function waits(task: Task, kinds: readonly WaitingFor["kind"][], verb: string): WaitingFor {
  if (task.waitingFor !== null && kinds.includes(task.waitingFor.kind)) return task.waitingFor;
  const now = hasEnded(task)
    ? `it has ended (${task.status})`
    : task.waitingFor === null
      ? `it is ${task.status} in "${task.state}"`
      : `it waits for ${task.waitingFor.kind}`;
  throw new UserError(
    "conflict",
    `there is nothing to ${verb} on ${task.id}: ${now}`,
    `nightshift show ${task.id} says what is possible`,
  );
}

/** Every question needs an answer or has a default; all problems at once. */
function checkAnswers(
  questions: readonly Question[],
  given: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const known = questions.map(({ id }) => id);
  const problems = Object.keys(given)
    .filter((id) => !known.includes(id))
    .map((id) => `there is no question "${id}" (${known.join(", ")})`);
  const answers: Record<string, string> = {};
  for (const { id, input, options, default: fallback } of questions) {
    const reply = given[id] ?? fallback;
    if (reply === null || reply === undefined) problems.push(`question "${id}" has no answer`);
    else if (input !== "text" && !options.includes(reply))
      problems.push(`the answer to "${id}" must be one of ${options.join(", ")}, not "${reply}"`);
    else answers[id] = terminalText(reply);
  }
  if (problems.length > 0)
    throw new UserError("invalid", problems.join("; "), "answer with <question>=<answer>, one for each question");
  return answers;
}
