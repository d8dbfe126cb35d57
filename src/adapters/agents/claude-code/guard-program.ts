/**
 * Claude asks this program before each use of a file tool or of the shell (a PreToolUse hook). It is policy, so that the
 * agent hears in a sentence what it may not do; the wall is what is mounted in the sandbox.
 *
 * Mounted by itself: it imports nothing of ours. Whatever goes wrong here, the answer is no.
 */
import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";

export interface GuardRules {
  readonly workspace: string;
  /** Folders and files besides the workspace that may be written, and those that may be read. */
  readonly write: readonly string[];
  readonly read: readonly string[];
  /** `sbt compile`: of sbt only this. Programs that stand without further words, or not at all, are the wall's concern. */
  readonly commands: readonly string[] | null;
  /** All that the shell may run, each as a plain command: `git log:*` with any further words, `npm test` without; null: anything. */
  readonly shell: readonly string[] | null;
}

export interface ToolCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly cwd: string;
  readonly home: string;
}

interface FileTool {
  readonly right: "read" | "write";
  /** The field that names it. */
  readonly path: string;
  /** Without it the tool works in the current directory. */
  readonly isOptional?: boolean;
  /** Fields with patterns of file names. */
  readonly patterns?: readonly string[];
}

const FILE_TOOLS: Readonly<Record<string, FileTool>> = {
  Read: { right: "read", path: "file_path" },
  Edit: { right: "write", path: "file_path" },
  MultiEdit: { right: "write", path: "file_path" },
  Write: { right: "write", path: "file_path" },
  NotebookEdit: { right: "write", path: "notebook_path" },
  LS: { right: "read", path: "path", isOptional: true },
  Glob: { right: "read", path: "path", isOptional: true, patterns: ["pattern"] },
  Grep: { right: "read", path: "path", isOptional: true, patterns: ["glob"] },
};

/** Why the tool may not be used like this, as a sentence for the model; null where it may. */
export function judge(call: ToolCall, rules: GuardRules): string | null {
  if (call.tool === "Bash") {
    const text = textField(call, "command");
    return judgeShell(text, rules.shell) ?? judgeCommand(text, rules.commands);
  }
  const tool = Object.hasOwn(FILE_TOOLS, call.tool) ? FILE_TOOLS[call.tool] : undefined;
  if (tool === undefined) throw new Error(`the tool ${call.tool} is not known here`);
  const isCwd = tool.isOptional === true && call.input[tool.path] === undefined;
  const path = isCwd ? call.cwd : textField(call, tool.path);
  const patterns = (tool.patterns ?? []).filter((field) => call.input[field] !== undefined);
  return (
    judgePath(path, tool, call, rules) ??
    patterns.map((field) => judgePattern(textField(call, field), path, call, rules)).find((no) => no !== null) ??
    null
  );
}

function textField({ tool, input }: ToolCall, field: string): string {
  const value = input[field];
  if (typeof value === "string") return value;
  throw new Error(`${tool} came without a text as its ${field}`);
}

function judgePath(path: string, { right }: Pick<FileTool, "right">, call: ToolCall, rules: GuardRules): string | null {
  const open = [rules.workspace, ...rules.write, ...(right === "read" ? rules.read : [])];
  // Claude may take blanks off before it uses the path.
  const isInside = [path, path.trim()].every((each) => isIn(open, absolute(each, call)));
  if (isInside) return null;
  return `${path} is outside the workspace ${rules.workspace}; work only there.`;
}

/** As it was written: `link/..` is one place to the kernel, and another to those who only look at the words. */
function absolute(path: string, { cwd, home }: ToolCall): string {
  if (path === "~" || path.startsWith("~/")) return home + path.slice(1);
  return isAbsolute(path) ? path : `${cwd}/${path}`;
}

/** By its words, and by where links lead. */
function isIn(open: readonly string[], written: string): boolean {
  const path = resolve(written);
  const real = open.map((each) => whereItLeads(each));
  return (
    [...open, ...real].some((each) => covers(each, path)) &&
    [path, written].map((each) => whereItLeads(each)).every((end) => real.some((each) => covers(each, end)))
  );
}

function covers(outer: string, inner: string): boolean {
  return inner === outer || inner.startsWith(outer.endsWith("/") ? outer : `${outer}/`);
}

/** Of what is not there yet, where it would be: what a link leads to is often not mounted, and outside all the same. */
function whereItLeads(path: string, links = 40): string {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return join(whereItLeads(dirname(path)), basename(path));
  if (!found.isSymbolicLink()) return realpathSync.native(path);
  if (links === 0) throw new Error(`${path} is a link that leads nowhere`);
  const target = readlinkSync(path);
  return whereItLeads(isAbsolute(target) ? target : `${whereItLeads(dirname(path))}/${target}`, links - 1);
}

function judgePattern(pattern: string, path: string, call: ToolCall, rules: GuardRules): string | null {
  const climbs = /(^|[/{,])\.\.([/},]|$)|[{,][/~]/.test(pattern);
  const start = /^[^*?[{(]*\//.exec(pattern)?.[0];
  if (!climbs && start === undefined) return null;
  if (climbs) return `The pattern ${pattern} may lead out of the workspace ${rules.workspace}; work only there.`;
  const from = { ...call, cwd: absolute(path, call) };
  return judgePath(start ?? "", { right: "read" }, from, rules);
}

/** For roles that judge: only what is listed, by its own name, with nothing set for it beforehand. */
function judgeShell(text: string, shell: readonly string[] | null): string | null {
  if (shell === null) return null;
  const rules = shell.map((rule) => ({
    words: rule
      .replace(/(:| )\*$/, "")
      .trim()
      .split(/\s+/),
    isOpen: /(:| )\*$/.test(rule),
  }));
  const fitsRule = (words: readonly string[]) =>
    rules.some(
      (rule) =>
        (rule.isOpen || words.length === rule.words.length) && rule.words.every((word, at) => word === words[at]),
    );
  const simple = readCommands(text);
  if (simple?.every((words) => words.length === 0 || fitsRule(words)) === true) return null;
  const may = rules.map(({ words }) => `\`${words.join(" ")}\``).join(", ");
  return `The shell is here for ${may === "" ? "nothing" : may} only, each as a plain command without pipes. Use Read, Grep and Glob for files.`;
}

/** Refuses too much rather than too little, but only where a program is named that a rule binds to certain words. */
function judgeCommand(text: string, commands: readonly string[] | null): string | null {
  const rules = (commands ?? []).map((rule) => rule.trim().split(/\s+/));
  const isFree = (name: string) => rules.some((rule) => rule.length === 1 && nameOf(rule) === name);
  const plain = text.replace(/['"\\]/g, "");
  const bound = [...new Set(rules.map(nameOf))].filter((name) => !isFree(name) && plain.includes(name));
  if (bound.length === 0) return null;
  const allowed = rules.filter((rule) => bound.includes(nameOf(rule)));
  const may = `You may run: ${allowed.map((rule) => rule.join(" ")).join(", ")}; each as a plain command.`;
  const ask = "If the task needs more, report needs_info and say why.";
  const simple = readCommands(text);
  if (simple === null) return `What this command would run cannot be told. ${may} ${ask}`;
  const refused = simple
    .flatMap(calls)
    .find((words) => bound.includes(nameOf(words)) && !allowed.some((rule) => fits(rule, words)));
  return refused === undefined ? null : `\`${refused.join(" ").slice(0, 80)}\` is not allowed here. ${may} ${ask}`;
}

function nameOf(words: readonly string[]): string {
  return basename(words[0] ?? "");
}

function fits(rule: readonly string[], words: readonly string[]): boolean {
  return nameOf(rule) === nameOf(words) && rule.every((word, at) => at === 0 || word === words[at]);
}

/** Programs that start the program named after them, or in a text. */
const STARTERS = "env command exec eval nohup nice time timeout xargs find setsid stdbuf sudo sh bash dash zsh".split(
  " ",
);
const KEYWORDS = "! { } if then elif else fi while until do done for in case esac".split(" ");

/** Everything that one simple command may call: itself, or with a starter whatever stands behind it. */
function calls(words: readonly string[]): readonly (readonly string[])[] {
  const first = words.findIndex((word) => !KEYWORDS.includes(word) && !/^\w+=/.test(word));
  const own = first < 0 ? [] : words.slice(first);
  if (!STARTERS.includes(nameOf(own))) return [own];
  const all = own.flatMap((word) => word.split(/[\s;&|()`'"]+/));
  return all.map((_, at) => all.slice(at));
}

const TOKEN =
  /[^\S\n]*(?:(?<end>[\n;&|()`]+)|(?<redirection>\d*[<>]+[&|]?)|(?<word>(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s;&|()`<>'"\\])+))/sy;

/** The simple commands of a line of shell, as words; null where it takes more than this to read it. */
function readCommands(text: string): readonly (readonly string[])[] | null {
  // A here-document, a command within quotes, a program's name in a variable.
  if (/<<|"[^"]*(\$\(|`)|(^|[;&|(\n])\s*["']?\$/.test(text)) return null;
  const commands: string[][] = [[]];
  let isTarget = false;
  let at = 0;
  const whole = text.trim();
  while (at < whole.length) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(whole);
    if (token === null) return null;
    const { end, redirection, word } = token.groups ?? {};
    if (end !== undefined) commands.push([]);
    if (word !== undefined && !isTarget) commands.at(-1)?.push(unquote(word));
    isTarget = redirection !== undefined;
    at = TOKEN.lastIndex;
  }
  return commands;
}

function unquote(word: string): string {
  return word.replace(
    /'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/gs,
    (_, single, double, escaped) => single ?? double ?? escaped,
  );
}

/** Less than Claude has for a hook: a no of our own is a better one. */
const PATIENCE_MS = 3_000;

async function main(): Promise<void> {
  setTimeout(() => fail(new Error("the question did not come")), PATIENCE_MS).unref();
  // Written by `guardSettings`; what is missing in it throws below.
  const rules = JSON.parse(process.argv[2] ?? "") as GuardRules;
  if (!isAbsolute(rules.workspace)) throw new Error("it knows no workspace");
  if (rules.shell === undefined) throw new Error("it does not know what the shell is for");
  const asked: unknown = JSON.parse(await readInput());
  const call = toCall(asked);
  const sentence = judge(call, rules);
  if (sentence === null) return;
  const decision = { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: sentence };
  process.stdout.write(JSON.stringify({ hookSpecificOutput: decision }));
}

async function readInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer); // without an encoding there are only these
  return Buffer.concat(chunks).toString("utf8");
}

function toCall(asked: unknown): ToolCall {
  const { tool_name: tool, tool_input: input, cwd } = asked as Record<string, unknown>; // null throws, and the rest is checked
  if (typeof tool !== "string" || typeof cwd !== "string" || typeof input !== "object" || input === null) {
    throw new Error("the question has no tool, no input or no directory");
  }
  return { tool, input: { ...input }, cwd, home: process.env["HOME"] ?? "/" };
}

/** By this code alone Claude refuses the tool, and gives the model what was printed here. */
function fail(error: unknown): never {
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(`The guard of the workspace could not decide, so this is refused: ${reason}.\n`);
  process.exit(2);
}

if (import.meta.main) {
  process.on("uncaughtException", fail);
  main().catch(fail);
}
