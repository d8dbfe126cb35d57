import { rmSync } from "node:fs";
import { findHome } from "../../config/files/paths.ts";
import { UserError } from "../../core/text/errors.ts";
import { confirm } from "../ask.ts";
import { answer, type CliContext } from "../context.ts";
import { stopDaemon } from "./stop.ts";

export async function clear(context: CliContext, options: { readonly yes?: boolean }): Promise<void> {
  const home = await findHome(context.env);
  if (options.yes !== true && !(await agree(context, home)))
    return answer(context, { cleared: false }, () => "nothing was removed\n");
  await stopDaemon(context, true);
  rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  answer(context, { cleared: true, home }, () => `removed ${home}\n`);
}

async function agree(context: CliContext, home: string): Promise<boolean> {
  if (!context.interactive)
    throw new UserError(
      "invalid",
      `this removes every task, run, transcript, setting and record of what was spent in ${home}`,
      "nightshift clear --yes does it without asking",
    );
  return confirm(`Remove every task, run, transcript, setting and record of what was spent in ${home}?`);
}
