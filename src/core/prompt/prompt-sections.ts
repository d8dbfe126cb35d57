import type { ChangePolicy } from "../pipeline/pipeline-policy.ts";
import { exampleOf, outcomesOf, reportForm, type ReportScope } from "../outcomes/outcome.ts";
import type { Artifact, ContextEntry, Exchange, Trigger } from "../task/task.ts";

// The words of one prompt section each, as plain text: prompt-context.ts marks them as data and puts them in order.

/** A plan that is one text is shown as it is; any other as the JSON it came as. */
export function describePlan(plan: Readonly<Record<string, unknown>> | null): string {
  if (plan === null) return "";
  return typeof plan["plan"] === "string" ? plan["plan"] : JSON.stringify(plan, null, 2);
}

export function describeSubtasks(plan: Readonly<Record<string, unknown>> | null): string {
  const subtasks: unknown = plan?.["subtasks"];
  return Array.isArray(subtasks) ? subtasks.map((subtask) => `- ${String(subtask)}`).join("\n") : "";
}

export function describeArtifacts(artifacts: readonly Artifact[]): string {
  return artifacts.map(({ type, label, url }) => `- ${type}: ${label}${url === null ? "" : ` (${url})`}`).join("\n");
}

export function describeConversation(conversation: readonly Exchange[]): string {
  return conversation.map(describeExchange).join("\n\n");
}

export function describeContext(context: readonly ContextEntry[]): string {
  return context.map(({ kind, text }) => `${kind.replaceAll("_", " ")}:\n${text}`).join("\n\n");
}

const TRIGGERS: Readonly<Record<Trigger["kind"], string>> = {
  errors: "The checks of your earlier work failed. Repair the cause of what follows; do not work around the check.",
  verdict:
    "Your earlier work was verified by somebody else and turned down. What follows says why; do what was asked for so that it holds.",
  conflict:
    "Your earlier work conflicts with what is new on the base branch. Make it fit what stands in the files now.",
  report:
    "What you reported at the end of an earlier run could not be used. What follows says what was wrong with it: look at what stands in the files, finish it, and report anew.",
  answers: "A person answered your questions. Go on with what they said.",
  choice: "A person chose one of the options. Go on with it.",
  comments: "Your work was reviewed. Deal with every comment that follows.",
  retry: "An earlier run of this step did not succeed. What follows says how it ended; do not repeat its mistake.",
  resume:
    "An earlier run of this step was interrupted. The workspace may hold its unfinished work: look before you go on.",
};

/** What the run is started for, in our own words; what people and programs said about it is data. */
export function describeTrigger(trigger: Trigger): string {
  return TRIGGERS[trigger.kind];
}

export interface ChangeLimits {
  readonly maxDiffLines: number;
  readonly avoidRecentCommits: number;
  readonly change: ChangePolicy;
}

/** The rules of the pipeline's policy that a change must keep. */
export function describeLimits({ maxDiffLines, avoidRecentCommits, change }: ChangeLimits): string {
  const untouched = [
    ...(change.recentFiles === "refuse" ? [`No file that the last ${avoidRecentCommits} commits changed`] : []),
    ...(change.dependencyFiles === "refuse" ? ["no dependency manifest or lock file"] : []),
    ...(change.gates === "refuse" ? ["nothing that defines the checks"] : []),
  ].join(", ");
  return [
    ...(change.maxLines === null ? [] : [`At most ${maxDiffLines} changed lines, added and removed ones together.`]),
    ...(change.outsideConcern === "refuse"
      ? ["Only the files that the selected candidate names; a directory there ends with a slash."]
      : []),
    ...(untouched === "" ? [] : [`${untouched.charAt(0).toUpperCase()}${untouched.slice(1)}.`]),
    "No test that checks less than before.",
  ]
    .map((line) => `- ${line}`)
    .join("\n");
}

export interface ContractParams extends ReportScope {
  readonly outcomeFile: string;
  /** It was given the tool `report_outcome`. */
  readonly hasTool: boolean;
}

const BY_TOOL =
  "Before you end, call the tool `report_outcome` exactly once with one JSON object. If it answers that something is wrong, mend it and call again.";

function byFile(outcomeFile: string): string {
  return (
    `Before you end, write exactly one JSON object, in UTF-8 and without anything around it, to the file \`${outcomeFile}\` ` +
    "(its path also stands in the environment variable NIGHTSHIFT_OUTCOME_FILE)."
  );
}

/** How to report: the one way, and a whole example of each thing that may be said. */
export function describeOutcomes({ role, plan, outcomeFile, hasTool }: ContractParams): string {
  const outcomes = outcomesOf(role);
  const guides = outcomes.map((name) => {
    const example = JSON.stringify(exampleOf(name, plan), null, 2);
    return `### \`${name}\`\n\nReport it ${reportForm(name, plan).when}\n\n\`\`\`json\n${example}\n\`\`\``;
  });
  return [
    `${hasTool ? BY_TOOL : byFile(outcomeFile)} Make it the last thing you do. ` +
      "Nothing you print counts as a report, and without a valid report the run has failed. " +
      `You may report ${outcomes.map((name) => `\`${name}\``).join(", ")} and nothing else. The values below are examples.`,
    ...guides,
  ].join("\n\n");
}

function describeExchange({ kind, asked, reply, by }: Exchange): string {
  const lines = asked.map((each) => {
    const said = reply !== null && Object.hasOwn(reply, each.id) ? reply[each.id] : undefined;
    const answer = said === undefined ? "" : `\n  answer: ${said}`;
    return "question" in each
      ? `- ${each.id}: ${each.question}${answer}`
      : `- ${each.id}: ${each.title}. ${each.description}${answer}`;
  });
  const ids: readonly string[] = asked.map(({ id }) => id);
  const rest = Object.entries(reply ?? {}).filter(([id]) => !ids.includes(id));
  const heading = kind === "answers" ? "Asked" : "Proposed";
  const replied = reply === null ? "Nobody replied yet." : `Reply by ${by ?? "a person"}:`;
  return [`${heading}:`, ...lines, replied, ...rest.map(([id, text]) => `  ${id}: ${text}`)].join("\n");
}
