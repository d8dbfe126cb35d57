import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import type { Writable } from "node:stream";
import { terminalOutput } from "../core/text/terminal-text.ts";
import type { CliContext } from "./context.ts";

/** Where a long text goes. */
export interface PagedOutput {
  readonly context: CliContext;
  /** Waits until the pager has taken what was printed. False if the person closed it. */
  ready(): Promise<boolean>;
}

/** The exit code of a shell that does not find the program. */
const NOT_FOUND = 127;
/** Quit if it fits on one screen, keep colours, and leave the text on the screen. */
const LESS = "FRX";

/**
 * Prints through the person's pager if the output goes to a terminal. `print` is called again without a pager if there is none,
 * so it must only read.
 */
export async function printPaged(
  context: CliContext,
  isWanted: boolean,
  print: (output: PagedOutput) => Promise<void>,
): Promise<void> {
  const direct = (): Promise<void> => print({ context, ready: async () => true });
  const command = isWanted && canPage(context) ? findPager(context) : null;
  if (command === null) return direct();
  const env = { ...context.env, LESS: context.env["LESS"] ?? LESS };
  const child = spawn(command, { shell: true, env, stdio: ["pipe", "inherit", "inherit"] });
  // The pager handles Ctrl-C: it stops a search, not this command.
  process.on("SIGINT", ignoreInterrupt);
  const closed = once(child, "close") as Promise<[code: number | null]>;
  try {
    await print(pipeTo(context, child)).finally(() => child.stdin.end());
  } finally {
    const [code] = await closed.finally(() => process.off("SIGINT", ignoreInterrupt));
    if (code === NOT_FOUND) await direct();
  }
}

function ignoreInterrupt(): void {}

function canPage({ json, quiet, width, env }: CliContext): boolean {
  return !json && !quiet && width !== undefined && env["TERM"] !== "dumb";
}

/** Null if the person wants none. */
function findPager({ env }: CliContext): string | null {
  const command = (env["PAGER"] ?? "less -R").trim();
  return command === "" || command === "cat" ? null : command;
}

function pipeTo(context: CliContext, { stdin }: ChildProcessByStdio<Writable, null, null>): PagedOutput {
  let isOpen = true;
  const close = (): void => void (isOpen = false);
  // The person may close the pager before it has read everything.
  stdin.on("error", close);
  stdin.on("close", close);
  return {
    context: { ...context, out: (text) => void (isOpen && stdin.write(terminalOutput(text))) },
    async ready() {
      if (isOpen && stdin.writableNeedDrain)
        await Promise.race([once(stdin, "drain"), once(stdin, "close")]).catch(close);
      return isOpen;
    },
  };
}
