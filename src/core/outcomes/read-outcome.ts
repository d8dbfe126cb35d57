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

/** Holds what an agent reported to the schema of its role. `problem` names everything that is wrong, for the agent to repair. */
export function readReport(value: unknown, { role, plan }: ReportScope): ReadReport {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return refuse(
      `The report must be a JSON object such as {"outcome": "…", "summary": "…"}; found ${show(value)}. ${allowed(role)}`,
    );
  }
  // Narrowed to an object that is no list just above.
  const report = value as Readonly<Record<string, unknown>>;
  const name = report["outcome"];
  if (!mayReport(role, name)) return refuse(wrongName(name, role));

  const parsed = reportForm(name, plan).schema.safeParse(report);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `- ${describe(issue, report)}`);
    return refuse(`The report "${name}" does not fit its schema:\n${problems.join("\n")}`);
  }
  // The form's schema is that of this very name.
  const outcome = { name, summary: "", payload: parsed.data, retryAt: null } as Outcome<AgentOutcome>;
  return { ok: true, outcome: { ...outcome, summary: summaryOf(outcome) } };
}

export function toQuestions(reported: readonly ReportedQuestion[]): readonly Question[] {
  return reported.map((asked) => ({
    id: asked.id,
    question: asked.question,
    context: asked.context ?? null,
    input: asked.input,
    options: asked.input === "boolean" ? ["yes", "no"] : (asked.options ?? []),
    default: typeof asked.default === "boolean" ? yesOrNo(asked.default) : (asked.default ?? null),
    deadline: asked.deadline === undefined ? null : Date.parse(asked.deadline),
  }));
}

export function toOptions(reported: readonly ReportedOption[]): readonly Option[] {
  return reported.map((option) => ({
    id: option.id,
    title: option.title,
    description: [option.description, ...pleas("For", option.pros), ...pleas("Against", option.cons)].join("\n"),
    recommended: option.recommended ?? false,
  }));
}

function pleas(heading: string, given: string | readonly string[] | undefined): readonly string[] {
  if (given === undefined || given.length === 0) return [];
  return [`${heading}: ${typeof given === "string" ? given : given.join("; ")}`];
}

function yesOrNo(value: boolean): string {
  return value ? "yes" : "no";
}

/** Where the agent left out the summary, whatever of its report says the most. */
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

function wrongName(name: unknown, role: Role): string {
  if (typeof name !== "string") return `"outcome" must be a string; found ${show(name)}. ${allowed(role)}`;
  const what = AGENT_OUTCOMES.some((known) => known === name) ? "is not open to the role" : "is no outcome of the role";
  return `The outcome ${show(name)} ${what} ${role}.${didYouMean(name, outcomesOf(role))} ${allowed(role)}`;
}

function allowed(role: Role): string {
  return `The role ${role} may report ${outcomesOf(role).join(", ")}.`;
}

function describe(issue: z.core.$ZodIssue, report: unknown): string {
  const where = place(issue.path);
  const found = valueAt(report, issue.path);
  switch (issue.code) {
    case "invalid_type":
      return found === undefined
        ? `${where} is missing; it must be ${issue.expected}.`
        : `${where} must be ${issue.expected}; found ${show(found)}.`;
    case "invalid_value":
      return `${where} must be one of ${issue.values.map((value) => show(value)).join(", ")}; found ${show(found)}.`;
    case "too_small":
      return `${where} must ${amount(issue.origin, `at least ${issue.minimum}`)}; found ${size(found)}.`;
    case "too_big":
      return `${where} must ${amount(issue.origin, `at most ${issue.maximum}`)}; found ${size(found)}.`;
    case "invalid_format":
      return issue.format === "regex"
        ? `${where} ${issue.message}.`
        : `${where} must be an ISO 8601 time with an offset; found ${show(found)}.`;
    case "invalid_union":
      return found === undefined
        ? `${where} is missing.`
        : `${where} has a type that is not allowed here; found ${show(found)}.`;
    default:
      return `${where} ${issue.message}.`;
  }
}

function place(path: readonly PropertyKey[]): string {
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

function amount(origin: string, limit: string): string {
  if (origin === "string") return `have ${limit} characters`;
  return origin === "array" ? `have ${limit} entries` : `be ${limit}`;
}

function size(value: unknown): string {
  return typeof value === "string" || Array.isArray(value) ? String(value.length) : show(value);
}

/** What was found, short and harmless: it goes into prompts, events and terminals. */
function show(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  return terminalLine(JSON.stringify(value), 80);
}

function refuse(problem: string): ReadReport {
  return { ok: false, problem };
}
