import type { PlanKind } from "../outcomes/outcome-entry.ts";
import { dataBlock, inlineValue } from "./prompt-blocks.ts";
import { renderPrompt, type TemplateVariable, usedVariables } from "./prompt.ts";
import {
  describeArtifacts,
  describeContext,
  describeConversation,
  describeLimits,
  describeMetadata,
  type ChangeLimits,
  describeOutcomes,
  describePlan,
  describeSubtasks,
  describeTrigger,
} from "./prompt-sections.ts";
import { CHANGING_ROLES, type Role } from "../task/role.ts";
import type { Artifact, Task, Trigger } from "../task/task.ts";
import { countTokens, shortenContext } from "./shorten-context.ts";
import { terminalText } from "../text/terminal-text.ts";

export interface PromptInput {
  /** The built-in text of prompts/preamble.md. */
  readonly preamble: string;
  /** The role's template without front matter, and the project's addition to it. */
  readonly template: string;
  readonly append: string;
  /** `.nightshift/instructions.md`. */
  readonly instructions: string;
  readonly role: Role;
  readonly task: Task;
  readonly artifacts: readonly Artifact[];
  readonly values: PromptValues;
  readonly data: PromptData;
  /** The user's own variables. Built-in variables take precedence. */
  readonly variables: Readonly<Record<string, string>>;
  /** The kind of plan that this pipeline uses. */
  readonly plan: PlanKind;
  readonly outcomeFile: string;
  /** The agent has the tool `report_outcome` and must report with it. */
  readonly hasTool: boolean;
  /** The agent resumes its own session, so the prompt contains only what is new. */
  readonly isResumed: boolean;
  /** The prompt's background is shortened beyond this size. */
  readonly maxTokens: number;
  /** Generated randomly for this prompt; at least 8 letters and digits. */
  readonly nonce: string;
}

/** Trusted values (ours, or accepted by a person), which may be used inside sentences. */
export interface PromptValues {
  readonly project: string;
  readonly defaultBranch: string;
  /** The commit that the task's work is based on. Null: not known yet. */
  readonly baseCommit: string | null;
  /** The commit with the task's work so far. Null: not known yet. */
  readonly headCommit: string | null;
  readonly repoUrl: string | null;
  readonly reviewer: string | null;
  /** Null: all commands of the system. */
  readonly commands: readonly string[] | null;
  /** `2026-03-01`, in the project's time zone. */
  readonly date: string;
  /** For nightly improvements only. The guidance is built in. */
  readonly category: { readonly name: string; readonly label: string; readonly guidance: string } | null;
  readonly limits: ChangeLimits;
  /** The engine runs the tests of the change on the base commit, where they must fail. */
  readonly provesFix: boolean;
}

/** Other data that the engine collected for this run. Every value is treated as untrusted. */
export type PromptData = Readonly<Partial<Record<DataVariable, string>>>;
export type DataVariable =
  | "access"
  | "directory"
  | "task_url"
  | "analysis"
  | "plan_comments"
  | "errors"
  | "checks"
  | "diff"
  | "prior_review"
  | "related_task"
  | "report"
  | "design"
  | "rules"
  | "avoid"
  | "proposals"
  | "tried"
  | "publishing"
  | VariantVariable;
/** The variants of a task that are ranked, each in a block of its own so that none can imitate another one. */
type VariantVariable = "variant_a" | "variant_b" | "variant_c" | "variant_d" | "variant_e";

/**
 * Builds the prompt of a run in a fixed order: preamble, role, project instructions, task, plan, artifacts, conversation,
 * earlier runs, trigger, outcomes. Sections whose variables the template already uses are not repeated.
 */
export function buildContext(input: PromptInput): string {
  const prompt = assembleContext(input);
  const excess = countTokens(prompt) - input.maxTokens;
  return excess <= 0 ? prompt : assembleContext(shortenContext(input, excess));
}

function assembleContext(input: PromptInput): string {
  const variables = { ...userVariables(input.variables), ...builtInVariables(input) };
  const template = input.isResumed
    ? RESUMED_TEMPLATE
    : [input.template.trim(), input.append.trim()].filter((part) => part !== "").join("\n\n");
  const placed = new Set(usedVariables(template));
  const shown = input.isResumed ? SECTIONS.filter(({ title }) => RESUMED_SECTIONS.includes(title)) : SECTIONS;
  const sections = shown.flatMap(({ title, lead, parts }) => {
    const texts = parts.filter((name) => !placed.has(name)).map((name) => variables[name]);
    const filled = texts.filter((text) => text !== NONE);
    return filled.length === 0 ? [] : [[`## ${title}`, ...lead, ...filled].join("\n\n")];
  });
  return renderPrompt({ preamble: input.preamble, template, variables, sections, nonce: input.nonce });
}

const NONE = "(none)";

/** Replaces the role's template when a session is resumed, because the session already contains it. */
const RESUMED_TEMPLATE =
  "Continue the task of this session. Your workspace is the current directory and contains your work so far. Paths from earlier in the session may no longer exist.";
const RESUMED_SECTIONS: readonly string[] = ["Artifacts", "Conversation", "Why you were started", "How to report"];

/** The parts after the first have no template variable, so that a template cannot move or omit them. */
type Part =
  | TemplateVariable
  | "access"
  | "directory"
  | "artifacts"
  | "metadata"
  | "report"
  | "design"
  | "trigger"
  | "rules"
  | "avoid"
  | "proposals"
  | "tried"
  | "publishing"
  | "proof"
  | VariantVariable
  | "night_limits";

const SECTIONS: readonly {
  readonly title: string;
  readonly lead: readonly string[];
  readonly parts: readonly Part[];
}[] = [
  {
    title: "Project instructions",
    lead: ["The project's own instructions. Follow them unless they contradict the rules above."],
    parts: ["instructions"],
  },
  { title: "What the category means", lead: [], parts: ["category_guidance"] },
  { title: "Limits of the change", lead: [], parts: ["night_limits"] },
  {
    title: "Feedback on earlier change requests",
    lead: ["Rules from people who rejected earlier change requests. Do not propose anything that violates them."],
    parts: ["rules"],
  },
  {
    title: "What to avoid",
    lead: ["The engine drops a candidate that touches these files or repeats an earlier proposal."],
    parts: ["avoid", "proposals", "tried"],
  },
  {
    title: "What a plan may ask for",
    lead: [
      "The plan is for one run of an agent in a sandbox, and a person approves it. The run gets exactly what the plan lists, and nothing that is not listed below can be granted. Ask for the least that is enough.",
    ],
    parts: ["access"],
  },
  { title: "The project's files", lead: [], parts: ["directory"] },
  { title: "Task", lead: [], parts: ["task_title", "task_description", "metadata", "task_url", "related_task"] },
  { title: "Investigation report", lead: [], parts: ["report"] },
  { title: "Design", lead: [], parts: ["design"] },
  { title: "Plan", lead: [], parts: ["plan", "subtasks", "analysis"] },
  { title: "Proof of the fix", lead: [], parts: ["proof"] },
  { title: "What to publish", lead: [], parts: ["publishing"] },
  {
    title: "Variants",
    lead: ["The engine wrote the check results. Everything else in a block is from the variant's author."],
    parts: ["variant_a", "variant_b", "variant_c", "variant_d", "variant_e"],
  },
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
  const triggerParts = assignTriggerText(input);
  return {
    task_id: inlineValue(task.id),
    task_title: block("task title", task.title),
    task_description: block("task description", task.description),
    metadata: values.category === null ? block("task metadata", describeMetadata(task)) : NONE,
    access: block("what can be granted", data.access),
    directory: block("map of the project", data.directory),
    task_url: block("task address", data.task_url),
    category: inlineValue(values.category?.name ?? NONE),
    category_label: inlineValue(values.category?.label ?? NONE),
    category_guidance: terminalText(values.category?.guidance ?? NONE),
    date: inlineValue(values.date),
    repo_url: inlineValue(values.repoUrl ?? NONE),
    default_branch: inlineValue(values.defaultBranch),
    base_commit: inlineValue(values.baseCommit ?? "HEAD"),
    head_commit: inlineValue(values.headCommit ?? "HEAD"),
    project: inlineValue(values.project),
    reviewer: inlineValue(values.reviewer ?? NONE),
    max_diff_lines: String(values.limits.maxDiffLines),
    avoid_recent_commits: String(values.limits.avoidRecentCommits),
    commands: describeCommands(values.commands),
    analysis: block("analysis", data.analysis),
    report: block("investigation report", data.report),
    design: block("design", data.design),
    plan: block("plan", describePlan(task.plan)),
    plan_comments: block("comments on the plan", data.plan_comments ?? triggerParts.plan_comments),
    subtasks:
      task.subtasks.length === 0 ? NONE : `${block("subtasks", describeSubtasks(task.subtasks))}\n\n${SUBTASKS_HINT}`,
    errors: block("errors", data.errors ?? triggerParts.errors),
    checks: block("check results", data.checks),
    diff: block("diff", data.diff),
    prior_review: block("earlier review", data.prior_review),
    related_task: block("related task", data.related_task),
    conversation: block("conversation", describeConversation(task.conversation)),
    context: block("summaries of earlier runs", describeContext(task.context)),
    instructions: block("project instructions", input.instructions),
    night_limits: describeNightLimits(input),
    proof: values.provesFix && CHANGING_ROLES.includes(input.role) ? PROOF_HINT : NONE,
    rules: block("rules of this project", data.rules),
    avoid: block("files to leave alone", data.avoid),
    proposals: block("earlier proposals", data.proposals),
    tried: block("tried tonight", data.tried),
    publishing: block("what to publish", data.publishing),
    variant_a: block("variant A", data.variant_a),
    variant_b: block("variant B", data.variant_b),
    variant_c: block("variant C", data.variant_c),
    variant_d: block("variant D", data.variant_d),
    variant_e: block("variant E", data.variant_e),
    artifacts: block("artifacts", describeArtifacts(input.artifacts)),
    trigger:
      [...triggerParts.lead, block("what happened", triggerParts.trigger)]
        .filter((text) => text !== NONE)
        .join("\n\n") || NONE,
    outcomes: describeOutcomes(input),
    outcome_file: inlineValue(input.outcomeFile),
  };
}

const SUBTASKS_HINT = "If you report `implemented`, list the numbers of the finished subtasks in `subtasks_done`.";
const PROOF_HINT =
  "Add or change at least one test in a test file of its own that fails without your fix and passes with it. The engine proves this: it runs your tests on the base commit as well. Tests that pass there too are sent back to you.";
const ERROR_TRIGGERS: readonly Trigger["kind"][] = ["errors", "verdict", "conflict", "report"];

/** Assigns the trigger's text to its own variable if there is one, otherwise to the section about the trigger. */
function assignTriggerText({ task: { trigger }, role }: PromptInput) {
  if (trigger === null) return { lead: [] };
  const lead = [describeTrigger(trigger)];
  if (ERROR_TRIGGERS.includes(trigger.kind)) return { lead, errors: trigger.text };
  if (trigger.kind === "comments" && role === "plan_revision") return { lead, plan_comments: trigger.text };
  return { lead, trigger: trigger.text };
}

/** Only for roles that implement or verify a nightly change. The prompt of `analyze` contains the limits itself. */
function describeNightLimits({ role, values: { category, limits } }: PromptInput): string {
  return category !== null && ["implement", "verify"].includes(role) ? describeLimits(limits) : NONE;
}

function userVariables(variables: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, terminalText(value)]));
}

function describeCommands(commands: readonly string[] | null): string {
  if (commands === null) return "all commands of the system; the network may be blocked";
  return commands.length === 0 ? NONE : commands.map((command) => `\`${inlineValue(command)}\``).join(", ");
}
