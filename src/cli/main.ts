import { Exit } from "./exit.ts";

/** Returns the exit code. Everything else is loaded only when it is needed: the start of a command is felt. */
export async function main(argv: readonly string[]): Promise<number> {
  const { createProgram } = await import("./program.ts");
  const { reportError } = await import("./report-error.ts");
  try {
    await createProgram().parseAsync([...argv], { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof Exit) return error.code;
    return reportError(error, argv.includes("--json"));
  }
}
