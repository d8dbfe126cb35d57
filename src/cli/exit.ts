/** 0 done · 1 failed · 2 wrong use or configuration · 3 waited and it did not succeed · 4 no daemon · 5 the sandbox refused. */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 5;

/** Ends the command with this code; everything to say has been said. */
export class Exit extends Error {
  override readonly name = "Exit";
  readonly code: ExitCode;

  constructor(code: ExitCode) {
    super(`exit ${code}`);
    this.code = code;
  }
}
