import { changeAnswers, confirmAnswers, type AnswerChange } from "../../core/pipeline/advance/change-answer.ts";
import { assumedAnswers, questionsOf } from "../../core/task/documents/answers.ts";
import { SYSTEM, type Actor } from "../../core/task/event.ts";
import { hasEnded, type Question, type Task } from "../../core/task/task.ts";
import { UserError } from "../../core/text/errors.ts";
import { terminalText } from "../../core/text/terminal-text.ts";
import { advanceParams } from "../advance-params.ts";
import { pipelineOf } from "../pipeline-of.ts";
import type { EnginePorts } from "../ports.ts";
import { outcomeOf, redactOutcome } from "../run/step-context.ts";
import { readTask, transact, withTaskLock, type Decision } from "../transact.ts";
import { decide, decisionEvent, requireWaiting } from "./decide.ts";
import { requireProject } from "./require/require-project.ts";

type Answers = Readonly<Record<string, string>>;

/** Answers the agent's questions, or keeps or changes answers that were assumed at a deadline. */
export async function answer(
  ports: EnginePorts,
  id: string,
  { answers, actor }: { readonly answers: Answers; readonly actor: Actor },
): Promise<Task> {
  const task = await readTask(ports, id);
  if (isAboutAssumed(task, answers)) return reviewAssumed(ports, id, answers, actor);
  return decide(ports, id, actor, (before) => {
    const waiting = requireWaiting(before, ["answers"], "answer");
    return answeredWith(checkAnswers(waiting.kind === "answers" ? waiting.questions : [], answers));
  });
}

function answeredWith(answers: Answers) {
  const text = Object.entries(answers)
    .map(([question, reply]) => `${question}: ${reply}`)
    .join("\n");
  return outcomeOf("answered", text, answers);
}

/** At the deadline, the engine takes the defaults and marks them as assumed. Does nothing if a person was faster. */
export async function assumeDefaults(ports: EnginePorts, id: string): Promise<void> {
  await decide(ports, id, SYSTEM, (task) => {
    const waiting = requireWaiting(task, ["answers"], "answer");
    return answeredWith(checkAnswers(waiting.kind === "answers" ? waiting.questions : [], {}));
  });
}

function isAboutAssumed(task: Task, answers: Answers): boolean {
  if (task.waitingFor?.kind === "answers") {
    const open = task.waitingFor.questions.map(({ id }) => id);
    if (Object.keys(answers).some((id) => open.includes(id))) return false;
  }
  const assumed = assumedAnswers(task).map(({ question }) => question.id);
  const given = Object.keys(answers);
  return given.length > 0 && given.every((id) => assumed.includes(id));
}

async function reviewAssumed(ports: EnginePorts, id: string, answers: Answers, actor: Actor): Promise<Task> {
  // The lock waits for a cleanup that may be removing the task's files.
  return withTaskLock(ports, id, async () => {
    const before = await readTask(ports, id);
    const { change, isChanged } = findChange(before, answers);
    if (isChanged) await keepSupersededWork(ports, before);
    const { task } = await transact(ports, id, null, (current) =>
      isChanged ? repeatFrom(ports, current, change, actor) : keepAnswers(ports, current, change, actor),
    );
    return task;
  });
}

/** The newest exchange that contains these questions. Questions of several exchanges are answered one exchange at a time. */
function findChange(task: Task, given: Answers): { readonly change: AnswerChange; readonly isChanged: boolean } {
  const ids = Object.keys(given);
  const index = task.conversation.findLastIndex(({ assumed = [] }) => ids.every((id) => assumed.includes(id)));
  const exchange = task.conversation[index];
  if (exchange === undefined)
    throw new UserError("invalid", "These questions were not asked together.", "Answer them one at a time.");
  const asked = questionsOf(exchange).filter(({ id }) => ids.includes(id));
  const answers = checkAnswers(asked, given);
  return { change: { index, answers }, isChanged: ids.some((id) => exchange.reply?.[id] !== answers[id]) };
}

/** What was made under the wrong assumption stays available as a git ref. */
async function keepSupersededWork(ports: EnginePorts, { project, id, headCommit, baseCommit }: Task): Promise<void> {
  if (headCommit === null || headCommit === baseCommit) return;
  await ports.workspaces.keepSuperseded(project, id, headCommit);
}

function keepAnswers(ports: EnginePorts, before: Task, change: AnswerChange, actor: Actor): Decision {
  const at = ports.clock.now();
  const task = { ...confirmAnswers(before, change, actor.name), updatedAt: at };
  const outcome = { name: "answered", summary: `kept ${describe(change.answers)}` } as const;
  return { advance: { task, events: [], next: null }, events: [decisionEvent(before, outcome, actor, at)] };
}

async function repeatFrom(ports: EnginePorts, before: Task, change: AnswerChange, actor: Actor): Promise<Decision> {
  if (before.outcome === "merged")
    throw new UserError(
      "conflict",
      `The change of ${before.id} is merged already.`,
      "Submit a new task that changes it.",
    );
  const settings = await ports.projects.settings(await requireProject(ports.store, before.project));
  const at = ports.clock.now();
  const outcome = redactOutcome(ports, outcomeOf("answered", describe(change.answers), change.answers));
  const pipeline = await pipelineOf(ports, before);
  const params = advanceParams(ports, { pipeline, settings, task: before, outcome, actor, at });
  const advance = changeAnswers(params, change, hasEnded(before));
  const summary = `changed ${outcome.summary}`;
  return {
    advance,
    events: [decisionEvent(before, { name: "answered", summary }, actor, at)],
    endOthers: { status: "cancelled", at },
  };
}

function describe(answers: Answers): string {
  return Object.entries(answers)
    .map(([question, reply]) => `${question}: ${reply}`)
    .join(", ");
}

/** Every question without a default needs an answer. Reports all problems at once. */
function checkAnswers(questions: readonly Question[], replies: Answers): Answers {
  const known = questions.map(({ id }) => id);
  const problems = Object.keys(replies)
    .filter((id) => !known.includes(id))
    .map((id) => `There is no question "${id}". Open questions: ${known.join(", ")}.`);
  const answers: Record<string, string> = {};
  for (const { id, input, options, default: fallback } of questions) {
    const reply = replies[id]?.trim() || fallback;
    if (reply === null || reply === undefined) problems.push(`Question "${id}" has no answer.`);
    else if (input !== "text" && !options.includes(reply))
      problems.push(`The answer to "${id}" must be one of ${options.join(", ")}, not "${reply}".`);
    else answers[id] = terminalText(reply);
  }
  if (problems.length > 0)
    throw new UserError("invalid", problems.join(" "), "Answer with <question>=<answer>, one for each question.");
  return answers;
}
