import { Exit } from "./exit.ts";
import { exitOnClosedPipe } from "./closed-pipe.ts";

/** Returns the exit code. Other modules are loaded on demand, so that commands start fast. */
export async function main(argv: readonly string[]): Promise<number> {
  exitOnClosedPipe();
  const json = asksForJson(argv);
  try {
    // The completion scripts call this on every press of the tab key.
    if (argv[0] === "complete") await (await import("./suggest.ts")).suggest(argv.slice(argv[1] === "--" ? 2 : 1));
    else await (await import("./program.ts")).runProgram(argv, json);
    return 0;
  } catch (error) {
    if (error instanceof Exit) return error.code;
    return (await import("./report-error.ts")).reportError(error, json);
  }
}

/** Looks for --json before parsing, so that a script gets JSON even if the arguments are invalid. */
function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return argv.slice(0, end === -1 ? argv.length : end).includes("--json");
}
