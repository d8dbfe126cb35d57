import { rmSync } from "node:fs";
import { findHome } from "../../../config/files/paths.ts";
import { UserError } from "../../../core/text/errors.ts";
import { confirm } from "../../ask.ts";
import { printResult, type CliContext } from "../../context.ts";
import { stopDaemon } from "./stop.ts";

export async function clear(context: CliContext, options: { readonly yes?: boolean }): Promise<void> {
  const home = await findHome(context.env);
  if (options.yes !== true && !(await confirmClear(context, home)))
    return printResult(context, { cleared: false }, () => "Nothing was removed.\n");
  await stopDaemon(context, true);
  rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  printResult(context, { cleared: true, home }, () => `Removed ${home}.\n`);
}

async function confirmClear(context: CliContext, home: string): Promise<boolean> {
  if (!context.interactive)
    throw new UserError(
      "invalid",
      `This removes all tasks, runs, transcripts, settings and cost records in ${home}, which needs a confirmation.`,
      'Run "nightshift clear --yes" to remove them without a prompt.',
    );
  return confirm(`Remove all tasks, runs, transcripts, settings and cost records in ${home}?`);
}
