import type { PlanKind } from "../outcomes/outcome-entry.ts";
import { dataBlock, inlineValue } from "./prompt-blocks.ts";
import { renderPrompt, type TemplateVariable, usedVariables } from "./prompt.ts";
import {
  describeArtifacts,
  describeContext,
  describeConversation,
  describeLimits,
  type ChangeLimits,
  describeOutcomes,
  describePlan,
  describeSubtasks,
  describeTrigger,
} from "./prompt-sections.ts";
import type { Role } from "../task/role.ts";
import type { Artifact, Task, Trigger } from "../task/task.ts";
import { terminalText } from "../text/terminal-text.ts";

export interface PromptInput {
  /** The built-in text of prompts/preamble.md. */
  readonly preamble: string;
  /** The role's template without front matter, and what the project appends to it. */
  readonly template: string;
  readonly append: string;
  /** `.nightshift/instructions.md`. */
  readonly instructions: string;
  readonly role: Role;
  readonly task: Task;
  readonly artifacts: readonly Artifact[];
  readonly values: PromptValues;
  readonly data: PromptData;
  /** The user's own variables; ours win over the same name. */
  readonly variables: Readonly<Record<string, string>>;
  /** What the plans of this pipeline hold. */
  readonly plan: PlanKind;
  readonly outcomeFile: string;
  /** It was given the tool `report_outcome`: then that is the way. */
  readonly hasTool: boolean;
  /** The agent goes on in a session of its own: it is told what is new. */
  readonly isResumed: boolean;
  /** Drawn at random for this prompt, 8 letters and digits or more. */
  readonly nonce: string;
}

/** What is ours or was accepted by a person, and so may stand within sentences. */
export interface PromptValues {
  readonly project: string;
  readonly defaultBranch: string;
  /** Where the task's work begins; what came before it is the project's own. Null: not known yet. */
  readonly baseCommit: string | null;
  readonly repoUrl: string | null;
  readonly reviewer: string | null;
  /** Null: all that the system has. */
  readonly commands: readonly string[] | null;
  /** `2026-03-01`, in the project's time zone. */
  readonly date: string;
  /** Of the nightly improvement; the guidance is built in. */
  readonly category: { readonly name: string; readonly label: string; readonly guidance: string } | null;
  /** What a change is held to. */
  readonly limits: ChangeLimits;
}

/** What the engine gathered for this run beyond the task itself; every value is treated as data. */
export type PromptData = Readonly<Partial<Record<DataVariable, string>>>;
export type DataVariable =
  | "task_url"
  | "analysis"
  | "plan_comments"
  | "errors"
  | "checks"
  | "diff"
  | "prior_review"
  | "related_task"
  | "rules"
  | "avoid"
  | "proposals"
  | "tried"
  | "publishing";

/**
 * The whole prompt of a run, in a fixed order: preamble, role, project instructions, task, plan, artifacts, conversation,
 * earlier runs, trigger, outcomes. What the template placed itself by its variable is not said twice.
 */
export function buildContext(input: PromptInput): string {
  const variables = { ...userVariables(input.variables), ...builtInVariables(input) };
  const template = input.isResumed
    ? RESUMED
    : [input.template.trim(), input.append.trim()].filter((part) => part !== "").join("\n\n");
  const placed = new Set(usedVariables(template));
  const shown = input.isResumed ? SECTIONS.filter(({ title }) => NEWS.includes(title)) : SECTIONS;
  const sections = shown.flatMap(({ title, lead, parts }) => {
    const texts = parts.filter((name) => !placed.has(name)).map((name) => variables[name]);
    const given = texts.filter((text) => text !== NONE);
    return given.length === 0 ? [] : [[`## ${title}`, ...lead, ...given].join("\n\n")];
  });
  return renderPrompt({ preamble: input.preamble, template, variables, sections, nonce: input.nonce });
}

const NONE = "(none)";

/** For a session that knows the rest from before. */
const RESUMED =
  "You go on with the task of this session. Your workspace is the current directory, with your work so far in it; places that were named before may be gone.";
const NEWS: readonly string[] = ["Artifacts", "Conversation", "Why you were started", "How to report"];

/** These parts have no variable of their own: templates cannot place them, and so cannot leave them out. */
type Part =
  | TemplateVariable
  | "artifacts"
  | "trigger"
  | "rules"
  | "avoid"
  | "proposals"
  | "tried"
  | "publishing"
  | "night_limits";

const SECTIONS: readonly {
  readonly title: string;
  readonly lead: readonly string[];
  readonly parts: readonly Part[];
}[] = [
  {
    title: "Project instructions",
    lead: ["How this project wants its work done. Follow it as far as it does not contradict the rules above."],
    parts: ["instructions"],
  },
  { title: "What the category means", lead: [], parts: ["category_guidance"] },
  { title: "What the change is held to", lead: [], parts: ["night_limits"] },
  {
    title: "What people said before",
    lead: [
      "Rules that people made when they turned down earlier change requests. Propose nothing that goes against them.",
    ],
    parts: ["rules"],
  },
  {
    title: "Leave alone",
    lead: ["A candidate that touches these files, or says the same again, is dropped."],
    parts: ["avoid", "proposals", "tried"],
  },
  { title: "Task", lead: [], parts: ["task_title", "task_description", "task_url", "related_task"] },
  { title: "Plan", lead: [], parts: ["plan", "subtasks", "analysis"] },
  { title: "What to publish", lead: [], parts: ["publishing"] },
  { title: "Artifacts", lead: [], parts: ["artifacts", "diff", "checks"] },
  { title: "Conversation", lead: [], parts: ["conversation"] },
  { title: "Earlier runs", lead: [], parts: ["context", "prior_review"] },
  { title: "Why you were started", lead: [], parts: ["trigger", "errors", "plan_comments"] },
  { title: "How to report", lead: [], parts: ["outcomes"] },
];

function builtInVariables(input: PromptInput): Record<Part, string> {
  const { task, values, data, nonce } = input;
  const block = (label: string, text: string | undefined): string =>
    text === undefined || text.trim() === "" ? NONE : dataBlock(label, text, nonce);
  const happened = whatHappened(input);
  return {
    task_id: inlineValue(task.id),
    task_title: block("task title", task.title),
    task_description: block("task description", task.description),
    task_url: block("task address", data.task_url),
    category: inlineValue(values.category?.name ?? NONE),
    category_label: inlineValue(values.category?.label ?? NONE),
    category_guidance: terminalText(values.category?.guidance ?? NONE),
    date: inlineValue(values.date),
    repo_url: inlineValue(values.repoUrl ?? NONE),
    default_branch: inlineValue(values.defaultBranch),
    base_commit: inlineValue(values.baseCommit ?? "HEAD"),
    project: inlineValue(values.project),
    reviewer: inlineValue(values.reviewer ?? NONE),
    max_diff_lines: String(values.limits.maxDiffLines),
    avoid_recent_commits: String(values.limits.avoidRecentCommits),
    commands: describeCommands(values.commands),
    analysis: block("analysis", data.analysis),
    plan: block("plan", describePlan(task.plan)),
    plan_comments: block("comments on the plan", data.plan_comments ?? happened.plan_comments),
    subtasks: block("subtasks", describeSubtasks(task.plan)),
    errors: block("errors", data.errors ?? happened.errors),
    checks: block("check results", data.checks),
    diff: block("diff", data.diff),
    prior_review: block("earlier review", data.prior_review),
    related_task: block("related task", data.related_task),
    conversation: block("conversation", describeConversation(task.conversation)),
    context: block("summaries of earlier runs", describeContext(task.context)),
    instructions: block("project instructions", input.instructions),
    night_limits: limitsFor(input),
    rules: block("rules of this project", data.rules),
    avoid: block("files to leave alone", data.avoid),
    proposals: block("earlier proposals", data.proposals),
    tried: block("tried tonight", data.tried),
    publishing: block("what to publish", data.publishing),
    artifacts: block("artifacts", describeArtifacts(input.artifacts)),
    trigger:
      [...happened.lead, block("what happened", happened.trigger)].filter((text) => text !== NONE).join("\n\n") || NONE,
    outcomes: describeOutcomes(input),
    outcome_file: inlineValue(input.outcomeFile),
  };
}

const TOLD_AS_ERRORS: readonly Trigger["kind"][] = ["errors", "verdict", "conflict", "report"];

/** The trigger's text goes to the variable that is named for it, else it stands beside our sentence about it. */
function whatHappened({ task: { trigger }, role }: PromptInput) {
  if (trigger === null) return { lead: [] };
  const lead = [describeTrigger(trigger)];
  if (TOLD_AS_ERRORS.includes(trigger.kind)) return { lead, errors: trigger.text };
  if (trigger.kind === "comments" && role === "plan_revision") return { lead, plan_comments: trigger.text };
  return { lead, trigger: trigger.text };
}

/** For whoever makes or judges a change of the night; the prompt of whoever proposes one says them itself. */
function limitsFor({ role, values: { category, limits } }: PromptInput): string {
  return category !== null && ["implement", "verify"].includes(role) ? describeLimits(limits) : NONE;
}

function userVariables(variables: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, terminalText(value)]));
}

function describeCommands(commands: readonly string[] | null): string {
  if (commands === null) return "What the system has; the network may be closed.";
  return commands.length === 0 ? NONE : commands.map((command) => `\`${inlineValue(command)}\``).join(", ");
}
