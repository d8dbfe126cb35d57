import { terminalJson, terminalOutput } from "../core/text/terminal-text.ts";

/** Global options and output streams, passed to every command. */
export interface CliContext {
  /** Print one JSON value to stdout and nothing else. */
  readonly json: boolean;
  readonly quiet: boolean;
  readonly color: boolean;
  /** Columns of the terminal that shows the result. Missing in a pipe: nothing is cut there. */
  readonly width?: number | undefined;
  /** The value of `--project`. Null means the project of the current folder. */
  readonly project: string | null;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes the command's result to stdout. */
  out(text: string): void;
  /** Writes progress to stderr, unless `quiet` or `json` is set. */
  progress(text: string): void;
  /** Writes to stderr even with `quiet`. With `json`, the warning belongs into the JSON value instead. */
  warn(text: string): void;
  /** The command runs on a terminal and may ask the user. */
  readonly interactive: boolean;
}

export interface GlobalOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly color?: boolean;
  readonly project?: string;
}

export function createContext(options: GlobalOptions): CliContext {
  const json = options.json ?? false;
  const quiet = options.quiet ?? false;
  const { env } = process;
  return {
    json,
    quiet,
    color:
      !json &&
      options.color !== false &&
      (env["NO_COLOR"] ?? "") === "" &&
      (process.stdout.isTTY || (env["FORCE_COLOR"] ?? "") !== ""),
    width: process.stdout.isTTY && process.stdout.columns > 0 ? process.stdout.columns : undefined,
    project: options.project ?? null,
    cwd: process.cwd(),
    env,
    out: (text) => void process.stdout.write(terminalOutput(text)),
    progress: (text) => void (quiet || json || process.stderr.write(terminalOutput(text))),
    warn: (text) => void (json || process.stderr.write(terminalOutput(text))),
    interactive: process.stdin.isTTY && process.stderr.isTTY && !json,
  };
}

/** Prints the result of a command: `value` with --json, otherwise the text. */
export function printResult(context: CliContext, value: unknown, text: () => string): void {
  context.out(context.json ? `${terminalJson(value, 2)}\n` : text());
}
