/**
 * 0 success · 1 failure · 2 invalid usage or configuration · 3 `--wait` ended without success · 4 no daemon ·
 * 5 refused by the sandbox · 130 Ctrl-C (the convention of shells).
 */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 5 | 130;

/** Ends the command with this exit code. The command has already printed its messages. */
export class Exit extends Error {
  override readonly name = "Exit";
  readonly code: ExitCode;

  constructor(code: ExitCode) {
    super(`exit ${code}`);
    this.code = code;
  }
}

/** The daemon is not running and could not be started. The message is the daemon's own output. */
export class DaemonStartError extends Error {
  override readonly name = "DaemonStartError";
  readonly hint: string;
  readonly code: 2 | 4;

  constructor(message: string, { hint, code }: { readonly hint: string; readonly code: 2 | 4 }) {
    super(message);
    this.hint = hint;
    this.code = code;
  }
}
