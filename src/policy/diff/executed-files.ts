// Which files the check commands of a project execute or use as configuration, as opposed to files that they only read.

const INTERPRETER =
  /^(?:(?:ba|z|da|k|fi)?sh|node|nodejs|deno|bun|tsx|ts-node(?:-esm)?|vite-node|babel-node|zx|esno|jiti|python[\d.]*|pypy[\d.]*|ruby|perl|php|pwsh|Rscript|lua|osascript|\.|source)$/;
/** They run the program that follows. */
const LAUNCHER =
  /^(?:env|exec|command|time|nice|nohup|timeout|sudo|xargs|npx|bunx|pipx|uvx?|poetry|pdm|hatch|rye|pipenv|npm|pnpm|yarn|bundle|cross-env|dotenv|xvfb-run|c8|nyc)$/;
const LAUNCHER_WORD = /^(?:run|exec|dlx|x|--|\w+=.*|[\d.]+[smhd]?)$/;
/** Options of any program whose value is configuration or code that is loaded. */
const LOADING_OPTION =
  /^(?:-[cpr]|--?[\w-]*(?:config|rc-?file|env-?file|settings|setup|require|import|loader|preload|project|ignore-(?:path|file)|plugin|rules-?dir|preset|makefile|taskfile|reporter|runner)[\w-]*)$/i;
/** Compilers and system programs, for which `-c`, `-p` and `-r` have other meanings. */
const SHORT_OPTIONS_DIFFER =
  /^(?:-.*|[\w.-]*(?:gcc|g\+\+|clang(?:\+\+)?|cc|c\+\+|ld|ar)|cp|mv|mkdir|rm|grep|egrep|fgrep|rg|tar|wc|sort|rsync|scp|touch|cargo|docker)$/;
/** With these options an interpreter only reads a file or gets its tests. */
const READING_OPTION: Readonly<Record<string, RegExp>> = {
  node: /^(?:-c|--check|--test)$/,
  php: /^(?:-l|--syntax-check)$/,
  ruby: /^-\w*c$/,
  perl: /^-\w*c$/,
  deno: /^(?:check|lint|fmt|test|--check)$/,
  bun: /^test$/,
};
const SHELL = /^(?:ba|z|da|k|fi)?sh$/;
const INLINE_CODE = /^(?:-\w*[ec]|--eval|--print|-p)$/;

/** Paths in the format of a change. A directory ends with a slash: everything in it is executed. */
export function executedFiles(commands: Iterable<string>): ReadonlySet<string> {
  const files = new Set<string>();
  for (const command of commands) for (const words of splitCommand(command)) addExecuted(words, files);
  return files;
}

export function isExecuted(path: string, executed: ReadonlySet<string>): boolean {
  if (executed.has(path)) return true;
  for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1))
    if (executed.has(path.slice(0, at + 1))) return true;
  return false;
}

function addExecuted(words: readonly string[], files: Set<string>): void {
  const add = (word: string | undefined): unknown => word !== undefined && files.add(toPath(word));
  const program = programOf(words);
  add(program);
  const hasOtherOptions = SHORT_OPTIONS_DIFFER.test(nameOf(program ?? ""));
  for (const [at, word] of words.entries()) {
    const rest = words.slice(at + 1);
    const name = nameOf(word);
    if (INTERPRETER.test(name)) for (const file of scriptsOf(name, rest)) add(file);
    if (/^g?make$|^just$|^task$|^ant$/.test(name)) add(valueOf(rest, /^(?:-f|-t|--file)$/));
    if (name === "go" && rest[0] === "run")
      add(`${rest.find((each, place) => place > 0 && !each.startsWith("-")) ?? ""}/`);
    const [, option = word, value = words[at + 1]] = /^(--?[\w-]+)=(.*)$/.exec(word) ?? [];
    // For an interpreter, `-c` and `-p` are followed by code or only check it. `pip install -r` names packages.
    const isCode = option !== "-r" && isInterpreted(words.slice(0, at));
    const isOther = /^-[cpr]$/.test(option) && (isCode || hasOtherOptions || words.includes("install"));
    if (LOADING_OPTION.test(option) && !isOther) add(value);
    // A command inside quotes: `sh -c "node check.js"`.
    if (/\s/.test(word)) for (const inner of splitCommand(word)) addExecuted(inner, files);
  }
}

function isInterpreted(words: readonly string[]): boolean {
  return words.some((word) => INTERPRETER.test(nameOf(word))) && !words.includes("-m");
}

/** The program of a simple command, behind variables and launchers. */
function programOf(words: readonly string[]): string | undefined {
  let isLaunched = false;
  return words.find((word) => {
    if (/^\w+=/.test(word)) return false;
    if (LAUNCHER.test(nameOf(word))) return !(isLaunched = true);
    return !(isLaunched && (word.startsWith("-") || LAUNCHER_WORD.test(word)));
  });
}

/** The script that an interpreter executes. */
function scriptsOf(interpreter: string, words: readonly string[]): readonly string[] {
  const redirected = words[words.indexOf("<") + 1];
  const input = words.includes("<") && redirected !== undefined ? [redirected] : [];
  for (const [at, word] of words.entries()) {
    if (SHELL.test(interpreter) ? /^-\w*n\w*$/.test(word) : READING_OPTION[interpreter]?.test(word)) return input;
    if (word === "-m" && interpreter.startsWith("py")) return modulePaths(words[at + 1] ?? "");
    if (INLINE_CODE.test(word)) return input;
    if (word === "<") return input;
    if (word.startsWith("-") || /^(?:run|serve)$/.test(word)) continue;
    // The value of an option such as `--require ./setup.js` is added elsewhere.
    if (LOADING_OPTION.test(words[at - 1] ?? "")) continue;
    return [word];
  }
  return input;
}

function modulePaths(module: string): string[] {
  const path = module.replaceAll(".", "/");
  return [`${path}.py`, `${path}/__main__.py`, `${path}/__init__.py`];
}

function valueOf(words: readonly string[], option: RegExp): string | undefined {
  const at = words.findIndex((word) => option.test(word.replace(/=.*$/, "")));
  return at < 0 ? undefined : (/=(.*)$/.exec(words[at] ?? "")?.[1] ?? words[at + 1]);
}

function nameOf(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1) || word;
}

function toPath(word: string): string {
  return word.replace(/^(\.\/)+/, "").replace(/\/+$/, "/");
}

const WORD = /"((?:[^"\\]|\\[^])*)"?|'([^']*)'?|[\n;&|()`]+|\$\(|<|>+|(?:[^\s;&|()`<>"'\\]|\\[^])+/g;

/** Longer commands are made to slow us down: the time grows with the square of the length. */
const MAX_WORDS = 200;

/** Splits a shell command into simple commands and their words. Not exact, but enough to find names of files. */
function splitCommand(command: string): string[][] {
  const commands: string[][] = [[]];
  let end = -1;
  for (const found of command.matchAll(WORD)) {
    const [text, double, single] = found;
    const words = commands.at(-1) ?? [];
    const value = double ?? single ?? text;
    if (/^(?:[\n;&|()`]+|\$\()$/.test(text)) commands.push([]);
    // `--config="x.json"` is one word.
    else if (found.index === end && words.length > 0 && !/^[<>]+$/.test(text))
      words.push(`${words.pop() ?? ""}${value}`);
    else words.push(value);
    end = found.index + text.length;
  }
  return commands.filter((words) => words.length > 0).map((words) => words.slice(0, MAX_WORDS));
}
