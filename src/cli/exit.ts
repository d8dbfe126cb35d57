/**
 * 0 done · 1 failed · 2 wrong use or configuration · 3 waited and it did not succeed · 4 no daemon · 5 the sandbox refused ·
 * 130 Ctrl-C, as shells have it.
 */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 5 | 130;

/** Ends the command with this code; everything to say has been said. */
export class Exit extends Error {
  override readonly name = "Exit";
  readonly code: ExitCode;

  constructor(code: ExitCode) {
    super(`exit ${code}`);
    this.code = code;
  }
}

/** No daemon answers and none could be started; the message is what it said itself. */
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
