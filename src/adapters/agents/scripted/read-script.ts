import { readFileSync } from "node:fs";

/** The actions of the scripted agent in one run of a role. */
export interface ScriptStep {
  readonly role: string;
  /** Printed before the text. */
  readonly think: readonly string[];
  /** Printed as text. */
  readonly say: readonly string[];
  /** Delay between the printed text and the first action. */
  readonly delayMs: number;
  readonly files: Readonly<Record<string, FileEdit>>;
  /** Run with `sh -c` in the workspace. A failing command ends the run with its exit code. */
  readonly commands: readonly string[];
  /** The text of the outcome file. Null writes none. */
  readonly outcome: string | null;
  /** What a model would have used and cost. */
  readonly usage: ScriptUsage;
  readonly exit: number;
}

export interface ScriptUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly costUsd: number;
}

/** New content, null to delete the file, or text to append. */
export type FileEdit = string | null | { readonly append: string };

const KEYS = ["role", "think", "say", "delay", "files", "commands", "outcome", "raw", "usage", "exit"];

// Validated without a schema library, which would double the start-up time of a program that tests and benchmarks start often.

/** Reads the steps of a `.json` or `.yaml` file. Errors name the file, the step and the problem. */
export async function readScript(file: string): Promise<readonly ScriptStep[]> {
  const text = readFileSync(file, "utf8");
  // Imported only if needed, for the same reason.
  const value: unknown = /\.ya?ml$/.test(file) ? (await import("yaml")).parse(text) : JSON.parse(text);
  if (!Array.isArray(value) || value.length === 0)
    throw new Error(`${file} must contain a list of steps, each with a \`role\``);
  return value.map((step: unknown, index) => {
    try {
      return readStep(step);
    } catch (error) {
      throw new Error(`${file}, step ${index + 1}: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
  });
}

/** Each run of a role plays the next of its steps. The last one repeats. */
export function chooseStep(steps: readonly ScriptStep[], role: string, attempt: number): ScriptStep | null {
  const own = steps.filter((step) => step.role === role);
  return own[Math.min(Math.max(attempt, 1), own.length) - 1] ?? null;
}

function readStep(value: unknown): ScriptStep {
  if (!isRecord(value)) throw new Error("must be an object");
  for (const key of Object.keys(value))
    if (!KEYS.includes(key)) throw new Error(`unknown key \`${key}\`; allowed: ${KEYS.join(", ")}`);
  const { role, say = [], delay = "0s", files = {}, commands = [], outcome = null, raw, exit = 0 } = value;
  const { think = [], usage = {} } = value;
  if (typeof role !== "string") throw new Error("`role` must be the name of a role");
  if (typeof exit !== "number" || !Number.isInteger(exit) || exit < 0 || exit > 255)
    throw new Error("`exit` must be a number from 0 to 255");
  if (outcome !== null && !isRecord(outcome))
    throw new Error("`outcome` must be an object or null; use `raw` for invalid reports");
  if (raw !== undefined && (typeof raw !== "string" || outcome !== null))
    throw new Error("`raw` must be text and cannot be combined with `outcome`");
  return {
    role,
    think: readTexts("think", think),
    say: readTexts("say", say),
    delayMs: readDelay(delay),
    files: readFiles(files),
    commands: readTexts("commands", commands),
    outcome: raw ?? (outcome === null ? null : JSON.stringify(outcome)),
    usage: readUsage(usage),
    exit,
  };
}

const USAGE_KEYS = ["input", "output", "cache_read", "cost_usd"];

function readUsage(value: unknown): ScriptUsage {
  const problem = "`usage` must have numbers from 0 for " + USAGE_KEYS.join(", ");
  if (!isRecord(value)) throw new Error(problem);
  for (const [key, number] of Object.entries(value))
    if (!USAGE_KEYS.includes(key) || typeof number !== "number" || !(number >= 0 && number < 1e9))
      throw new Error(problem);
  // The cast is safe: all values are numbers.
  const { input = 0, output = 0, cache_read: cacheRead = 0, cost_usd: costUsd = 0 } = value as Record<string, number>;
  return { input, output, cacheRead, costUsd };
}

function readTexts(key: string, value: unknown): readonly string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.map((text) => {
    if (typeof text !== "string") throw new Error(`\`${key}\` must be text or a list of texts`);
    return text;
  });
}

function readDelay(value: unknown): number {
  const parts = typeof value === "string" ? /^(\d{1,7})(ms|s|m|h)$/.exec(value) : null;
  const unit = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }[parts?.[2] ?? ""];
  if (unit === undefined) throw new Error("`delay` must be a duration such as 200ms, 5s, 2m or 1h");
  return Number(parts?.[1]) * unit;
}

function readFiles(value: unknown): Readonly<Record<string, FileEdit>> {
  if (!isRecord(value)) throw new Error("`files` must map paths to contents");
  return Object.fromEntries(Object.entries(value).map(([path, edit]) => [path, readFileEdit(path, edit)]));
}

function readFileEdit(path: string, edit: unknown): FileEdit {
  if (typeof edit === "string" || edit === null) return edit;
  if (isRecord(edit) && typeof edit["append"] === "string") return { append: edit["append"] };
  throw new Error(`\`files\`: the value of "${path}" must be text, null or { append: text }`);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
