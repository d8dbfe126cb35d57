import type { z } from "zod";
import { didYouMean } from "../text/did-you-mean.ts";
import {
  AGENT_OUTCOMES,
  outcomesOf,
  reportForm,
  type AgentOutcome,
  type Outcome,
  type ReportScope,
} from "./outcome.ts";
import type { ReportedOption, ReportedQuestion } from "./payload-fields.ts";
import type { Role } from "../task/role.ts";
import type { Option, Question } from "../task/task.ts";
import { terminalLine } from "../text/terminal-text.ts";

export type ReadReport =
  | { readonly ok: true; readonly outcome: Outcome<AgentOutcome> }
  | { readonly ok: false; readonly problem: string };

/** Validates an agent's report against the schema of its role. `problem` lists all errors, so that the agent can fix them. */
export function readReport(value: unknown, { role, plan }: ReportScope): ReadReport {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return reject(
      `The report must be a JSON object such as {"outcome": "…", "summary": "…"}; found ${show(value)}. ${describeAllowed(role)}`,
    );
  }
  // Checked above: an object and not an array.
  const report = value as Readonly<Record<string, unknown>>;
  const name = report["outcome"];
  if (!mayReport(role, name)) return reject(describeWrongName(name, role));

  const parsed = reportForm(name, plan).schema.safeParse(report);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `- ${describeIssue(issue, report)}`);
    return reject(`The report "${name}" does not match its schema:\n${problems.join("\n")}`);
  }
  // The schema belongs to this outcome name.
  const outcome = { name, summary: "", payload: parsed.data, retryAt: null } as Outcome<AgentOutcome>;
  return { ok: true, outcome: { ...outcome, summary: summaryOf(outcome) } };
}

export function toQuestions(reported: readonly ReportedQuestion[]): readonly Question[] {
  return reported.map((question) => ({
    id: question.id,
    question: question.question,
    context: question.context ?? null,
    input: question.input,
    options: question.input === "boolean" ? ["yes", "no"] : (question.options ?? []),
    default: typeof question.default === "boolean" ? yesOrNo(question.default) : (question.default ?? null),
    deadline: question.deadline === undefined ? null : Date.parse(question.deadline),
  }));
}

export function toOptions(reported: readonly ReportedOption[]): readonly Option[] {
  return reported.map((option) => ({
    id: option.id,
    title: option.title,
    description: [
      option.description,
      ...describeArguments("For", option.pros),
      ...describeArguments("Against", option.cons),
    ].join("\n"),
    recommended: option.recommended ?? false,
  }));
}

function describeArguments(heading: string, text: string | readonly string[] | undefined): readonly string[] {
  if (text === undefined || text.length === 0) return [];
  return [`${heading}: ${typeof text === "string" ? text : text.join("; ")}`];
}

function yesOrNo(value: boolean): string {
  return value ? "yes" : "no";
}

/** The report's summary, or the most informative other field if it has none. */
function summaryOf({ name, payload }: Outcome<AgentOutcome>): string {
  if (payload.summary !== undefined) return payload.summary;
  if ("plan_summary" in payload) return payload.plan_summary;
  if ("reason" in payload && payload.reason !== undefined) return payload.reason;
  if ("reasoning" in payload) return payload.reasoning;
  if ("questions" in payload) return payload.questions.map(({ question }) => question).join("\n");
  return name.replaceAll("_", " ");
}

function mayReport(role: Role, name: unknown): name is AgentOutcome {
  return outcomesOf(role).some((allowedName) => allowedName === name);
}

function describeWrongName(name: unknown, role: Role): string {
  if (typeof name !== "string") return `"outcome" must be a string; found ${show(name)}. ${describeAllowed(role)}`;
  const what = AGENT_OUTCOMES.some((known) => known === name)
    ? "is not allowed for the role"
    : "is unknown to the role";
  return `The outcome ${show(name)} ${what} ${role}.${didYouMean(name, outcomesOf(role))} ${describeAllowed(role)}`;
}

function describeAllowed(role: Role): string {
  return `The role ${role} may report ${outcomesOf(role).join(", ")}.`;
}

function describeIssue(issue: z.core.$ZodIssue, report: unknown): string {
  const where = formatPath(issue.path);
  const found = valueAt(report, issue.path);
  switch (issue.code) {
    case "invalid_type":
      return found === undefined
        ? `${where} is missing; it must be ${issue.expected}.`
        : `${where} must be ${issue.expected}; found ${show(found)}.`;
    case "invalid_value":
      return `${where} must be one of ${issue.values.map((value) => show(value)).join(", ")}; found ${show(found)}.`;
    case "too_small":
      return `${where} must ${describeLimit(issue.origin, `at least ${issue.minimum}`)}; found ${describeSize(found)}.`;
    case "too_big":
      return `${where} must ${describeLimit(issue.origin, `at most ${issue.maximum}`)}; found ${describeSize(found)}.`;
    case "invalid_format":
      return issue.format === "regex"
        ? `${where} ${issue.message}.`
        : `${where} must be an ISO 8601 time with an offset; found ${show(found)}.`;
    case "invalid_union":
      return found === undefined ? `${where} is missing.` : `${where} has the wrong type; found ${show(found)}.`;
    default:
      return `${where} ${issue.message}.`;
  }
}

function formatPath(path: readonly PropertyKey[]): string {
  const joined = path
    .map((key, index) => (typeof key === "number" ? `[${key}]` : `${index > 0 ? "." : ""}${String(key)}`))
    .join("");
  return `"${joined}"`;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let inner = value;
  for (const key of path) {
    if (typeof inner !== "object" || inner === null) return undefined;
    inner = Object.getOwnPropertyDescriptor(inner, key)?.value;
  }
  return inner;
}

function describeLimit(origin: string, limit: string): string {
  if (origin === "string") return `have ${limit} characters`;
  return origin === "array" ? `have ${limit} entries` : `be ${limit}`;
}

function describeSize(value: unknown): string {
  return typeof value === "string" || Array.isArray(value) ? String(value.length) : show(value);
}

/** The value as short text that is safe for prompts, events and terminals. */
function show(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  return terminalLine(JSON.stringify(value), 80);
}

function reject(problem: string): ReadReport {
  return { ok: false, problem };
}
