import { Exit } from "./exit.ts";
import { endWithReader } from "./reader.ts";

/** Returns the exit code. Everything else is loaded only when it is needed: the start of a command is felt. */
export async function main(argv: readonly string[]): Promise<number> {
  endWithReader();
  const json = asksForJson(argv);
  try {
    // What the completion scripts call with every press of the tab key.
    if (argv[0] === "complete") await (await import("./suggest.ts")).suggest(argv.slice(argv[1] === "--" ? 2 : 1));
    else await (await import("./program.ts")).runProgram(argv, json);
    return 0;
  } catch (error) {
    if (error instanceof Exit) return error.code;
    return (await import("./report-error.ts")).reportError(error, json);
  }
}

/** Also where the arguments are too wrong to be parsed: a script that asked for JSON gets JSON. */
function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return argv.slice(0, end === -1 ? argv.length : end).includes("--json");
}
