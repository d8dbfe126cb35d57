import type { ChangePolicy } from "../pipeline/pipeline-policy.ts";
import { exampleOf, outcomesOf, reportForm, type ReportScope } from "../outcomes/outcome.ts";
import type { ContextEntry } from "../task/documents/context-entry.ts";
import { renderDocument } from "../task/documents/render-document.ts";
import type { Artifact, Exchange, Subtask, Task, Trigger } from "../task/task.ts";

// Each function returns the text of one prompt section. prompt-context.ts marks it as data and orders the sections.

export function describePlan(plan: Task["plan"]): string {
  return plan === null ? "" : renderDocument("plan", plan);
}

/** The numbers are those of `subtasks_done` in a report. */
export function describeSubtasks(subtasks: readonly Subtask[]): string {
  return subtasks.map(({ title, done }, index) => `${index + 1}. [${done ? "x" : " "}] ${title}`).join("\n");
}

/** What the person said about the task apart from its text. */
export function describeMetadata({ priority, size, complexity, tags }: Task): string {
  return [
    `priority: ${priority}`,
    ...(size === null ? [] : [`size: ${size}`]),
    ...(complexity === null ? [] : [`complexity: ${complexity}`]),
    ...(tags.length === 0 ? [] : [`tags: ${tags.join(", ")}`]),
  ].join("\n");
}

export function describeArtifacts(artifacts: readonly Artifact[]): string {
  return artifacts.map(({ type, label, url }) => `- ${type}: ${label}${url === null ? "" : ` (${url})`}`).join("\n");
}

export function describeConversation(conversation: readonly Exchange[]): string {
  return conversation.map(describeExchange).join("\n\n");
}

export function describeContext(context: readonly ContextEntry[]): string {
  return context.map(describeEntry).join("\n\n");
}

export function describeEntry({ kind, source, summary, data, at }: ContextEntry): string {
  const outcome = typeof data["outcome"] === "string" ? `: ${data["outcome"]}` : "";
  return `[${source}] ${kind.replaceAll("_", " ")}${outcome} (${new Date(at).toISOString()})\n${summary}`;
}

const TRIGGERS: Readonly<Record<Trigger["kind"], string>> = {
  errors: "The checks of your earlier work failed. Fix the cause of the errors below; do not work around the check.",
  verdict:
    "Your earlier work was verified by another agent and rejected for the reason below. Do the task so that it passes.",
  conflict:
    "Your earlier work conflicts with new commits of other people. Adapt it to the current files. Where a file contains git's conflict markers (<<<<<<<, =======, >>>>>>>), resolve the conflict so that both changes are kept, and remove the markers.",
  report:
    "The report at the end of an earlier run was invalid; the problem is described below. Look at the current files, finish the work, and report again.",
  answers: "A person answered your questions. Continue with their answers.",
  choice: "A person chose one of the options. Continue with it.",
  comments: "Your work was reviewed. Handle every comment below.",
  follow_up:
    "The task was done, and a person asks for more. The workspace contains the work so far. Do what the text below asks for, and keep the rest of the work.",
  single: "A person asked for this run separately. Do what your role says, based on everything below.",
  retry: "An earlier run of this step failed. The text below says how it ended; do not repeat its mistake.",
  resume:
    "An earlier run of this step was interrupted. The workspace may contain its unfinished work: look at it before you continue.",
};

/** Why the run is started, in our own words. Text from people and programs is passed as data instead. */
export function describeTrigger(trigger: Trigger): string {
  return TRIGGERS[trigger.kind];
}

export interface ChangeLimits {
  readonly maxDiffLines: number;
  readonly avoidRecentCommits: number;
  readonly change: ChangePolicy;
}

/** The rules of the pipeline's policy for a change. */
export function describeLimits({ maxDiffLines, avoidRecentCommits, change }: ChangeLimits): string {
  const forbidden = [
    ...(change.recentFiles === "refuse" && avoidRecentCommits > 0
      ? [`No file that the last ${avoidRecentCommits} commits changed`]
      : []),
    ...(change.dependencyFiles === "refuse" ? ["no dependency manifest or lock file"] : []),
    ...(change.gates === "refuse" ? ["nothing that defines the checks"] : []),
  ].join(", ");
  return [
    ...(change.maxLines === null ? [] : [`At most ${maxDiffLines} changed lines, added and removed lines together.`]),
    ...(change.outsideConcern === "refuse"
      ? ["Only the files that the selected candidate names; a directory there ends with a slash."]
      : []),
    ...(forbidden === "" ? [] : [`${forbidden.charAt(0).toUpperCase()}${forbidden.slice(1)}.`]),
    "No test that checks less than before.",
  ]
    .map((line) => `- ${line}`)
    .join("\n");
}

export interface ContractParams extends ReportScope {
  readonly outcomeFile: string;
  /** The agent has the tool `report_outcome`. */
  readonly hasTool: boolean;
}

const REPORT_WITH_TOOL =
  "Before you end, call the tool `report_outcome` exactly once with one JSON object. If it returns an error, correct the report and call it again.";

function describeReportFile(outcomeFile: string): string {
  return (
    `Before you end, write exactly one JSON object, in UTF-8 and with nothing around it, to the file \`${outcomeFile}\` ` +
    "(the environment variable NIGHTSHIFT_OUTCOME_FILE also contains its path)."
  );
}

/** How to report, with a complete example of each outcome. */
export function describeOutcomes({ role, plan, outcomeFile, hasTool }: ContractParams): string {
  const outcomes = outcomesOf(role);
  const examples = outcomes.map((name) => {
    const example = JSON.stringify(exampleOf(name, plan), null, 2);
    return `### \`${name}\`\n\nReport it ${reportForm(name, plan).when}\n\n\`\`\`json\n${example}\n\`\`\``;
  });
  return [
    `${hasTool ? REPORT_WITH_TOOL : describeReportFile(outcomeFile)} Make it the last thing you do. ` +
      "Nothing you print counts as a report, and without a valid report the run fails. " +
      `You may report ${outcomes.map((name) => `\`${name}\``).join(", ")} and nothing else. The values below are examples.`,
    ...examples,
  ].join("\n\n");
}

function describeExchange({ kind, asked, reply, by, assumed = [] }: Exchange): string {
  const lines = asked.map((each) => {
    const replyText = reply !== null && Object.hasOwn(reply, each.id) ? reply[each.id] : undefined;
    const answer =
      replyText === undefined
        ? ""
        : `\n  answer: ${replyText}${assumed.includes(each.id) ? " (assumed: there was no answer before the deadline)" : ""}`;
    return "question" in each
      ? `- ${each.id}: ${each.question}${answer}`
      : `- ${each.id}: ${each.title}. ${each.description}${answer}`;
  });
  const ids: readonly string[] = asked.map(({ id }) => id);
  const rest = Object.entries(reply ?? {}).filter(([id]) => !ids.includes(id));
  const heading = kind === "answers" ? "Asked" : "Proposed";
  const replied = reply === null ? "No reply yet." : `Reply by ${by ?? "a person"}:`;
  return [`${heading}:`, ...lines, replied, ...rest.map(([id, text]) => `  ${id}: ${text}`)].join("\n");
}
