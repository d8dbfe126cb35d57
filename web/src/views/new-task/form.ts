import type { TaskPreviewJson } from "../../../../src/http/contract/task-preview.ts";
import { MAX_DURATION_MS, parseDuration } from "../../../../src/core/schedule/duration.ts";
import { MAX_VARIANTS, MIN_VARIANTS } from "../../../../src/core/task/variants.ts";
import { COMPLEXITIES, PRIORITIES, SIZES } from "../../../../src/core/task/task.ts";

/** What the person typed, as text, so that a draft keeps also what is not valid yet. */
export interface TaskForm {
  readonly description: string;
  readonly title: string;
  readonly project: string;
  readonly pipeline: string;
  readonly url: string;
  readonly issue: string;
  readonly priority: string;
  readonly size: string;
  readonly complexity: string;
  readonly tags: string;
  readonly agent: string;
  readonly model: string;
  readonly budget_usd: string;
  readonly timeout_ms: string;
  readonly planning_timeout_ms: string;
  readonly max_turns: string;
  readonly after: string;
  readonly related: string;
  readonly until: string;
  readonly best_of: string;
  readonly allow_dirs: string;
  readonly design: boolean;
  readonly in_place: boolean;
  readonly allow_overlap: boolean;
  readonly auto_approve: boolean;
  readonly without_checks: boolean;
}
export type FieldName = keyof TaskForm;
export type FieldProblems = Readonly<Partial<Record<FieldName, string>>>;

export const EMPTY_FORM: TaskForm = {
  description: "",
  title: "",
  project: "",
  pipeline: "staged",
  url: "",
  issue: "",
  priority: "normal",
  size: "",
  complexity: "",
  tags: "",
  agent: "",
  model: "",
  budget_usd: "",
  timeout_ms: "",
  planning_timeout_ms: "",
  max_turns: "",
  after: "",
  related: "",
  until: "",
  best_of: "",
  allow_dirs: "",
  design: false,
  in_place: false,
  allow_overlap: false,
  auto_approve: false,
  without_checks: false,
};

const MAX_DESCRIPTION = 1_000_000;
const MAX_TITLE = 1000;
const MAX_TAGS = 20;
const MAX_TAG = 40;
const MAX_TURNS = 100_000;

/** The pipeline that reviews a change request of someone else. */
export const REVIEW_PIPELINE = "review";

/** Problems that can be found without the daemon, with the words of the field. */
export function checkForm(form: TaskForm): FieldProblems {
  const problems: Partial<Record<FieldName, string>> = {};
  const check = (name: FieldName, problem: string | null): void => {
    if (problem !== null) problems[name] = problem;
  };
  check("description", checkDescription(form));
  if (form.project === "") check("project", "Choose the project that the task is about.");
  if (form.title.length > MAX_TITLE) check("title", `At most ${MAX_TITLE} characters, this has ${form.title.length}.`);
  if (form.pipeline === REVIEW_PIPELINE && form.url.trim() === "")
    check("url", "Paste the address of the change request to review.");
  check("issue", checkNumber(form.issue, { min: 1, max: 1_000_000_000, what: "the number of an issue, such as 42" }));
  check("tags", checkTags(splitList(form.tags)));
  check("budget_usd", checkAmount(form.budget_usd));
  check("timeout_ms", checkDuration(form.timeout_ms));
  check("planning_timeout_ms", checkDuration(form.planning_timeout_ms));
  check("max_turns", checkNumber(form.max_turns, { min: 1, max: MAX_TURNS, what: "a number of turns" }));
  const ids = [...splitList(form.after), ...splitList(form.related)];
  const wrong = ids.find((id) => !ID.test(id));
  if (wrong !== undefined)
    check(splitList(form.after).includes(wrong) ? "after" : "related", `“${wrong}” is not the id of a task.`);
  if (splitList(form.related).length > 1) check("related", "One task only.");
  check("best_of", checkBestOf(form.best_of));
  const relative = splitLines(form.allow_dirs).find((path) => !path.startsWith("/"));
  if (relative !== undefined) check("allow_dirs", `“${relative}” is not an absolute path.`);
  return problems;
}

const ID = /^(task_)?[0-9a-z]{1,35}$/;

function checkDescription({ description, issue, pipeline }: TaskForm): string | null {
  const length = description.length;
  if (length > MAX_DESCRIPTION)
    return `At most 1,000,000 characters, this has ${length.toLocaleString("en-US")}. Put the long part into a file of the repository and refer to it.`;
  if (description.trim() === "" && issue.trim() === "" && pipeline !== REVIEW_PIPELINE)
    return "Say what should be done, or name an issue under “More”.";
  return null;
}

function checkNumber(text: string, { min, max, what }: { min: number; max: number; what: string }): string | null {
  if (text.trim() === "") return null;
  const number = Number(text);
  return Number.isInteger(number) && number >= min && number <= max
    ? null
    : `Expected ${what}, from ${min.toLocaleString("en-US")} to ${max.toLocaleString("en-US")}.`;
}

function checkTags(tags: readonly string[]): string | null {
  if (tags.length > MAX_TAGS) return `At most ${MAX_TAGS} tags.`;
  const long = tags.find((tag) => tag.length > MAX_TAG);
  return long === undefined ? null : `A tag has at most ${MAX_TAG} characters.`;
}

function checkAmount(text: string): string | null {
  if (text.trim() === "") return null;
  const usd = Number(text.replace(/^\s*\$/, ""));
  return usd > 0 && Number.isFinite(usd) ? null : "Expected an amount in USD above 0, such as 5 or 2.50.";
}

function checkDuration(text: string): string | null {
  return text.trim() === "" || parseDuration(text.trim()) !== null
    ? null
    : `Expected a duration such as 90s, 10m or 2h, at most ${MAX_DURATION_MS / 86_400_000}d.`;
}

function checkBestOf(text: string): string | null {
  const names = splitList(text);
  return names.length === 0 || (names.length >= MIN_VARIANTS && names.length <= MAX_VARIANTS)
    ? null
    : `Name ${MIN_VARIANTS} to ${MAX_VARIANTS} agents, separated by commas.`;
}

/** The body of the request. Only for a form without problems; a preview leaves out what is not valid. */
export function toDraftBody(form: TaskForm) {
  return {
    project: form.project,
    pipeline: form.pipeline,
    title: form.title.trim() || null,
    description: form.description.trim() === "" ? null : form.description,
    url: form.pipeline === REVIEW_PIPELINE ? form.url.trim() || null : null,
    issue: toNumber(form.issue),
    priority: PRIORITIES.find((each) => each === form.priority) ?? "normal",
    size: SIZES.find((each) => each === form.size) ?? null,
    complexity: COMPLEXITIES.find((each) => each === form.complexity) ?? null,
    tags: [...new Set(splitList(form.tags))],
    agent: form.agent || null,
    model: form.model.trim() || null,
    budget_usd: toNumber(form.budget_usd.replace(/^\s*\$/, "")),
    timeout_ms: parseDuration(form.timeout_ms.trim()),
    planning_timeout_ms: parseDuration(form.planning_timeout_ms.trim()),
    max_turns: toNumber(form.max_turns),
    after: [...splitList(form.after)],
    related: splitList(form.related)[0] ?? null,
    until: form.until || null,
    best_of: toBestOf(form.best_of),
    allow_dirs: [...splitLines(form.allow_dirs)],
    design: form.design,
    in_place: form.in_place,
    allow_overlap: form.allow_overlap,
    auto_approve: form.auto_approve,
    without_checks: form.without_checks,
  };
}

/** The body of the preview: fields with problems have their defaults, and the description is not needed. */
export function toPreviewBody(form: TaskForm) {
  const valid: TaskForm = { ...form };
  const reset = Object.fromEntries(
    Object.keys(checkForm(form))
      .filter((name) => name !== "project")
      .map((name) => [name, ""]),
  );
  return { ...toDraftBody({ ...valid, ...reset }), title: null, description: "preview", url: null, issue: null };
}

export function splitList(text: string): readonly string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function splitLines(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function toNumber(text: string): number | null {
  return text.trim() === "" ? null : Number(text);
}

/** `agent` or `agent:model`, as the command line accepts it. A model may contain colons. */
function toBestOf(text: string): { agent: string; model: string | null }[] | null {
  const choices = splitList(text).map((part) => {
    const [agent = "", ...model] = part.split(":");
    return { agent: agent.trim(), model: model.join(":").trim() || null };
  });
  return choices.length === 0 ? null : choices;
}

/** Problems that the daemon reported, at their fields. Those of unknown fields are returned apart. */
export function problemsByField(problems: readonly { readonly key: string; readonly message: string }[]): {
  readonly fields: FieldProblems;
  readonly others: readonly string[];
} {
  const fields: Partial<Record<FieldName, string>> = {};
  const others: string[] = [];
  for (const { key, message } of problems) {
    // Such as `tags[0]` or `best_of.1.agent`.
    const [name = ""] = key.split(/[.[]/);
    if (isFieldName(name)) fields[name] ??= message;
    else others.push(message);
  }
  return { fields, others };
}

function isFieldName(name: string): name is FieldName {
  return Object.hasOwn(EMPTY_FORM, name);
}

export type PreviewStep = TaskPreviewJson["steps"][number];
