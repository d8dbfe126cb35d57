import { resolve } from "node:path";
import { findHome } from "../../../config/files/paths.ts";
import { backUpHome, restoreHome } from "../../../daemon/backup/backup.ts";
import { printResult, type CliContext } from "../../context.ts";
import { copyableWord } from "../../copyable.ts";
import { describeTime } from "../../print/terminal/time.ts";
import { plural } from "../../print/terminal/words.ts";
import { version } from "../../version.ts";

export async function backup(context: CliContext, file: string): Promise<void> {
  const home = await findHome(context.env);
  const made = await backUpHome({ home, file: resolve(context.cwd, file), version: version(), now: Date.now() });
  const { leftOut, ...result } = made;
  printResult(context, { ...result, left_out: leftOut }, () =>
    [
      `Saved ${plural(made.tasks, "task")} and ${plural(made.files, "file")} to ${made.file} (${megabytes(made.bytes)}).`,
      "It contains keys, tokens and transcripts, and unpublished commits of tasks. Keep it private.",
      "Not included:",
      ...leftOut.map((what) => `  - ${what}`),
      `To restore it: nightshift restore ${copyableWord(made.file)}`,
      "",
    ].join("\n"),
  );
}

export async function restore(context: CliContext, file: string, options: { readonly force?: boolean }): Promise<void> {
  const home = await findHome(context.env);
  const done = await restoreHome({
    home,
    file: resolve(context.cwd, file),
    force: options.force ?? false,
    now: Date.now(),
  });
  const { createdAt, movedTo, ...result } = done;
  printResult(context, { ...result, created_at: createdAt, home, moved_to: movedTo }, () =>
    [
      `Restored ${plural(done.tasks, "task")} and ${plural(done.files, "file")} to ${home}. The backup was made ${describeTime(createdAt)}.`,
      ...(movedTo === null ? [] : [`The previous data is in ${movedTo}.`]),
      'Run "nightshift start", then "nightshift doctor". Unfinished tasks continue.',
      "",
    ].join("\n"),
  );
}

function megabytes(bytes: number): string {
  return bytes < 100_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
