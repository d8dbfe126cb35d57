import { shortHash } from "../../../core/text/short-hash.ts";
import { terminalLine } from "../../../core/text/terminal-text.ts";
import type { TaskJson } from "../../../http/client/client.ts";
import { copyableWord, PLACEHOLDER } from "../../copyable.ts";
import { withoutFindings } from "./findings.ts";
import { indentText } from "../terminal/fit-text.ts";
import { formatMessage } from "../terminal/message.ts";
import { describeVerdict } from "./reviews.ts";
import { shortId } from "../terminal/short-id.ts";
import type { Screen } from "../terminal/style.ts";
import { describeTime } from "../terminal/time.ts";

const MAX_LINE = 200;
/** Options that end the task. They need no reason. */
const ENDING: ReadonlySet<string> = new Set(["reject", "failed", "cancelled"]);

/** Describes what the task waits for, with the commands that answer it. */
export function describeWaiting(screen: Screen, task: TaskJson, { isPlanShown = false } = {}): string {
  const { waiting_for: waiting } = task;
  if (waiting === null) return "";
  const id = shortId(screen, task);
  switch (waiting.kind) {
    case "approval": {
      const problems = planProblems(task);
      const plan = waiting.plan_hash === null ? "" : ` --plan ${shortHash(waiting.plan_hash)}`;
      const shown = [
        ...(isPlanShown ? [] : problems.map((problem) => `Cannot be granted: ${problem}`)),
        // A daemon of an older version does not send them.
        ...(waiting.reasons ?? []),
      ];
      return [
        "Waiting for your approval:",
        ...shown.map((reason) => indentText(screen, `- ${terminalLine(reason, MAX_LINE)}`, "  ", "    ")),
        ...(isPlanShown ? [] : [`→ nightshift show ${id}`]),
        // A plan with problems is refused as it is.
        `→ nightshift approve ${id}${problems.length > 0 ? " --edit" : plan}`,
        `→ nightshift revise ${id} "<feedback>"`,
        `→ nightshift reject ${id}`,
        "",
      ].join("\n");
    }
    case "answers":
      return [
        "Waiting for answers:",
        ...waiting.questions.map((question) => indentText(screen, describeQuestion(question), "  ", "    ")),
        `→ nightshift answer ${id} ${waiting.questions.map(exampleAnswer).join(" ")}`,
        "",
      ].join("\n");
    case "choice":
      return [
        indentText(screen, `Waiting for a choice: ${formatMessage(withoutFindings(waiting.reason, task))}`, "", "  "),
        ...waiting.options.map((option) => indentText(screen, describeOption(option), "  ", "    ")),
        ...waiting.options.map((option) => {
          const note = waiting.needs_note && !ENDING.has(option.id) ? ` --note "${PLACEHOLDER}"` : "";
          return `→ nightshift choose ${id} ${copyableWord(option.id)}${note}`;
        }),
        // A daemon of an older version does not send it.
        ...((waiting.next_steps ?? []).length === 0
          ? []
          : ["The fix is planned first. To implement it directly, add --then implement."]),
        "",
      ].join("\n");
    case "review":
      return `Waiting for a review: nightshift approve ${id} or nightshift reject ${id}\n`;
    case "merge":
      return describeMerge(screen, id, task, waiting.problem);
  }
}

type MergeProblem = Extract<TaskJson["waiting_for"], { kind: "merge" }>["problem"];

/** Only the plans of staged tasks have problems. Read by hand, because a validator takes long to load. */
function planProblems({ plan }: Pick<TaskJson, "plan">): readonly string[] {
  const problems = plan?.["problems"];
  return Array.isArray(problems) ? problems.map(String) : [];
}

function describeMerge(screen: Screen, id: string, task: TaskJson, problem: MergeProblem): string {
  const again = problem?.retry_at == null ? "" : ` It is tried again ${describeTime(problem.retry_at)}.`;
  // A daemon of an older version sends no problem.
  const why = problem == null ? "." : `: ${formatMessage(problem.reason)}${again}`;
  return [
    indentText(screen, `Waiting for the change to be merged${why}`, "", "  "),
    indentText(screen, describeVerdict(task), ""),
    `→ nightshift diff ${id}`,
    `→ nightshift merge ${id}`,
    `→ nightshift comment ${id} "${PLACEHOLDER}"`,
    `→ nightshift follow-up ${id} "${PLACEHOLDER}"`,
    `→ nightshift reject ${id} "${PLACEHOLDER}"`,
    "",
  ].join("\n");
}

type Question = Extract<TaskJson["waiting_for"], { kind: "answers" }>["questions"][number];

/** Such as `whom='night shift'`. */
function exampleAnswer({ id, options, default: standard }: Question): string {
  const answer = standard ?? options[0] ?? PLACEHOLDER;
  return `${copyableWord(id)}=${copyableWord(answer.length > MAX_LINE ? PLACEHOLDER : answer)}`;
}

function describeQuestion({ id, question, context, options, default: standard, deadline }: Question): string {
  const why = context === null ? "" : `\n${formatMessage(context)}`;
  const choices = options.map((option) => terminalLine(option, MAX_LINE)).join(" | ");
  const fallback =
    standard === null
      ? ""
      : ` (default: ${terminalLine(standard, MAX_LINE)}${deadline === null ? "" : `, taken ${describeTime(deadline)}`})`;
  return `${id}: ${formatMessage(question)}${choices === "" ? "" : ` [${choices}]`}${fallback}${why}`;
}

type Option = Extract<TaskJson["waiting_for"], { kind: "choice" }>["options"][number];

function describeOption({ id, title, recommended }: Option): string {
  return `${id}: ${terminalLine(title, MAX_LINE)}${recommended ? " (recommended)" : ""}`;
}
