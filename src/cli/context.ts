/** What every command is given besides its own arguments. */
export interface CliContext {
  /** One JSON value on stdout and nothing else. */
  readonly json: boolean;
  readonly quiet: boolean;
  readonly color: boolean;
  /** `--project`; null: the one of the current folder. */
  readonly project: string | null;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The answer. */
  out(text: string): void;
  /** Progress, for whoever watches. */
  tell(text: string): void;
  /** What a person must know, also one who wants no progress; a script that asked for JSON finds it there. */
  warn(text: string): void;
  /** A person is at the keyboard and may be asked. */
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
    project: options.project ?? null,
    cwd: process.cwd(),
    env,
    out: (text) => void process.stdout.write(text),
    tell: (text) => void (quiet || json || process.stderr.write(text)),
    warn: (text) => void (json || process.stderr.write(text)),
    interactive: process.stdin.isTTY && process.stderr.isTTY && !json,
  };
}

/** The answer of a command: as JSON, or as `text` says it. */
export function answer(context: CliContext, value: unknown, text: () => string): void {
  context.out(context.json ? `${JSON.stringify(value, null, 2)}\n` : text());
}
