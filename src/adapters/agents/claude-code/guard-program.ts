/**
 * Claude runs this program before each use of a file tool or of the shell (a PreToolUse hook). It tells the agent why a call
 * is denied. Isolation does not depend on it: the sandbox enforces that.
 *
 * Only this file is mounted, so it must not import other files of Nightshift. Every error denies the call.
 */
import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";

export interface GuardRules {
  readonly workspace: string;
  /** Folders and files outside the workspace that may be written, and those that may be read. */
  readonly write: readonly string[];
  readonly read: readonly string[];
  /** `sbt compile` restricts sbt to this command. Programs listed without arguments, or not listed, are left to the sandbox. */
  readonly commands: readonly string[] | null;
  /** Allowed shell commands: `git log:*` with any further arguments, `npm test` without. Null allows everything. */
  readonly shell: readonly string[] | null;
}

export interface ToolCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly cwd: string;
  readonly home: string;
}

interface FileTool {
  readonly access: "read" | "write";
  /** The input field with the path. */
  readonly path: string;
  /** Whether the path may be missing. The tool then uses the current directory. */
  readonly isOptional?: boolean;
  /** Input fields with file name patterns. */
  readonly patterns?: readonly string[];
}

const FILE_TOOLS: Readonly<Record<string, FileTool>> = {
  Read: { access: "read", path: "file_path" },
  Edit: { access: "write", path: "file_path" },
  MultiEdit: { access: "write", path: "file_path" },
  Write: { access: "write", path: "file_path" },
  NotebookEdit: { access: "write", path: "notebook_path" },
  LS: { access: "read", path: "path", isOptional: true },
  Glob: { access: "read", path: "path", isOptional: true, patterns: ["pattern"] },
  Grep: { access: "read", path: "path", isOptional: true, patterns: ["glob"] },
};

/** Returns the reason for denying the call, as a sentence for the model, or null if it is allowed. */
export function checkToolCall(call: ToolCall, rules: GuardRules): string | null {
  if (call.tool === "Bash") {
    const text = textField(call, "command");
    return checkShell(text, rules.shell) ?? checkCommand(text, rules.commands);
  }
  const tool = Object.hasOwn(FILE_TOOLS, call.tool) ? FILE_TOOLS[call.tool] : undefined;
  if (tool === undefined) throw new Error(`unknown tool ${call.tool}`);
  const isCwd = tool.isOptional === true && call.input[tool.path] === undefined;
  const path = isCwd ? call.cwd : textField(call, tool.path);
  const patterns = (tool.patterns ?? []).filter((field) => call.input[field] !== undefined);
  return (
    checkPath(path, tool, call, rules) ??
    patterns
      .map((field) => checkPattern(textField(call, field), path, call, rules))
      .find((denial) => denial !== null) ??
    null
  );
}

function textField({ tool, input }: ToolCall, field: string): string {
  const value = input[field];
  if (typeof value === "string") return value;
  throw new Error(`${tool} has no text in its field ${field}`);
}

function checkPath(
  path: string,
  { access }: Pick<FileTool, "access">,
  call: ToolCall,
  rules: GuardRules,
): string | null {
  const allowed = [rules.workspace, ...rules.write, ...(access === "read" ? rules.read : [])];
  // Claude may trim the path before it uses it.
  if ([path, path.trim()].every((each) => isInside(allowed, absolute(each, call)))) return null;
  return `${path} is outside the workspace ${rules.workspace}; work only there.`;
}

/** Does not normalize: the kernel resolves `link/..` differently than a purely textual normalization. */
function absolute(path: string, { cwd, home }: ToolCall): string {
  if (path === "~" || path.startsWith("~/")) return home + path.slice(1);
  return isAbsolute(path) ? path : `${cwd}/${path}`;
}

/** Checks both the path as written and the target of its links. */
function isInside(allowed: readonly string[], written: string): boolean {
  const path = resolve(written);
  const real = allowed.map((each) => resolveLinks(each));
  return (
    [...allowed, ...real].some((each) => contains(each, path)) &&
    [path, written].map((each) => resolveLinks(each)).every((target) => real.some((each) => contains(each, target)))
  );
}

function contains(outer: string, inner: string): boolean {
  return inner === outer || inner.startsWith(outer.endsWith("/") ? outer : `${outer}/`);
}

/** Like realpath, but also works for paths that do not exist: the target of a link is often not mounted. */
function resolveLinks(path: string, links = 40): string {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return join(resolveLinks(dirname(path)), basename(path));
  if (!found.isSymbolicLink()) return realpathSync.native(path);
  if (links === 0) throw new Error(`too many links at ${path}`);
  const target = readlinkSync(path);
  return resolveLinks(isAbsolute(target) ? target : `${resolveLinks(dirname(path))}/${target}`, links - 1);
}

function checkPattern(pattern: string, path: string, call: ToolCall, rules: GuardRules): string | null {
  const mayEscape = /(^|[/{,])\.\.([/},]|$)|[{,][/~]/.test(pattern);
  const start = /^[^*?[{(]*\//.exec(pattern)?.[0];
  if (!mayEscape && start === undefined) return null;
  if (mayEscape)
    return `The pattern ${pattern} may match files outside the workspace ${rules.workspace}; work only there.`;
  return checkPath(start ?? "", { access: "read" }, { ...call, cwd: absolute(path, call) }, rules);
}

/** For reviewing roles: allows only the listed commands, without variable assignments before them. */
function checkShell(text: string, shell: readonly string[] | null): string | null {
  if (shell === null) return null;
  const rules = shell.map((rule) => ({
    words: rule
      .replace(/(:| )\*$/, "")
      .trim()
      .split(/\s+/),
    isOpen: /(:| )\*$/.test(rule),
  }));
  const isAllowed = (words: readonly string[]) =>
    rules.some(
      (rule) =>
        (rule.isOpen || words.length === rule.words.length) && rule.words.every((word, at) => word === words[at]),
    );
  const simple = readCommands(text);
  if (simple?.every((words) => words.length === 0 || isAllowed(words)) === true) return null;
  const list = rules.map(({ words }) => `\`${words.join(" ")}\``).join(", ");
  const allowed = list === "" ? "No shell command is allowed." : `Only these shell commands are allowed: ${list}.`;
  return `${allowed} Run each as a plain command without pipes. Use Read, Grep and Glob for files.`;
}

/** Denies in case of doubt, but only if the text names a program that the rules restrict to certain arguments. */
function checkCommand(text: string, commands: readonly string[] | null): string | null {
  const rules = (commands ?? []).map((rule) => rule.trim().split(/\s+/));
  const isUnrestricted = (name: string) => rules.some((rule) => rule.length === 1 && programName(rule) === name);
  const plain = text.replace(/['"\\]/g, "");
  const restricted = [...new Set(rules.map(programName))].filter(
    (name) => !isUnrestricted(name) && plain.includes(name),
  );
  if (restricted.length === 0) return null;
  const allowed = rules.filter((rule) => restricted.includes(programName(rule)));
  const hint = `You may run: ${allowed.map((rule) => rule.join(" ")).join(", ")}; each as a plain command. If the task needs more, report needs_info and say why.`;
  const simple = readCommands(text);
  if (simple === null) return `This command is too complex to check. ${hint}`;
  const denied = simple
    .flatMap(listInvocations)
    .find((words) => restricted.includes(programName(words)) && !allowed.some((rule) => matchesRule(rule, words)));
  return denied === undefined ? null : `\`${denied.join(" ").slice(0, 80)}\` is not allowed here. ${hint}`;
}

function programName(words: readonly string[]): string {
  return basename(words[0] ?? "");
}

function matchesRule(rule: readonly string[], words: readonly string[]): boolean {
  return programName(rule) === programName(words) && rule.every((word, at) => at === 0 || word === words[at]);
}

/** Programs that start the program given in their arguments. */
const LAUNCHERS = "env command exec eval nohup nice time timeout xargs find setsid stdbuf sudo sh bash dash zsh".split(
  " ",
);
const KEYWORDS = "! { } if then elif else fi while until do done for in case esac".split(" ");

/** Everything that a simple command may start: itself, or for a launcher anything in its arguments. */
function listInvocations(words: readonly string[]): readonly (readonly string[])[] {
  const first = words.findIndex((word) => !KEYWORDS.includes(word) && !/^\w+=/.test(word));
  const own = first < 0 ? [] : words.slice(first);
  if (!LAUNCHERS.includes(programName(own))) return [own];
  const all = own.flatMap((word) => word.split(/[\s;&|()`'"]+/));
  return all.map((_, at) => all.slice(at));
}

const TOKEN =
  /[^\S\n]*(?:(?<end>[\n;&|()`]+)|(?<redirection>\d*[<>]+[&|]?)|(?<word>(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s;&|()`<>'"\\])+))/sy;

/** Splits shell code into simple commands and their words. Returns null if it is too complex for this parser. */
function readCommands(text: string): readonly (readonly string[])[] | null {
  // A here-document, a command substitution in quotes, or a variable as the program name.
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

/** Shorter than Claude's timeout for the hook, so that the model gets our message. */
const TIMEOUT_MS = 3_000;

async function main(): Promise<void> {
  setTimeout(() => fail(new Error("no tool call arrived on stdin")), TIMEOUT_MS).unref();
  // Written by `guardSettings`. Missing fields throw below.
  const rules = JSON.parse(process.argv[2] ?? "") as GuardRules;
  if (!isAbsolute(rules.workspace)) throw new Error("the rules have no workspace");
  if (rules.shell === undefined) throw new Error("the rules have no shell commands");
  const denial = checkToolCall(toCall(JSON.parse(await readInput())), rules);
  if (denial === null) return;
  const decision = { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: denial };
  process.stdout.write(JSON.stringify({ hookSpecificOutput: decision }));
}

async function readInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer); // always a Buffer without an encoding
  return Buffer.concat(chunks).toString("utf8");
}

function toCall(value: unknown): ToolCall {
  const { tool_name: tool, tool_input: input, cwd } = value as Record<string, unknown>; // null throws, the fields are checked
  if (typeof tool !== "string" || typeof cwd !== "string" || typeof input !== "object" || input === null) {
    throw new Error("the tool call has no tool, no input or no directory");
  }
  return { tool, input: { ...input }, cwd, home: process.env["HOME"] ?? "/" };
}

/** Exit code 2 makes Claude deny the call and pass stderr on to the model. */
function fail(error: unknown): never {
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(`The workspace guard failed, so the call is denied: ${reason}.\n`);
  process.exit(2);
}

if (import.meta.main) {
  process.on("uncaughtException", fail);
  main().catch(fail);
}
