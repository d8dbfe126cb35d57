import { escapedLine } from "../../core/text/terminal-text.ts";
import { UserError } from "../../core/text/errors.ts";
import type { AppliedJson } from "../../http/client/client.ts";
import { connect } from "../daemon/connect.ts";
import { printResult, type CliContext } from "../context.ts";
import { table, type Column } from "../print/terminal/table.ts";
import { plural } from "../print/terminal/words.ts";
import { diff } from "./diff.ts";

interface ApplyOptions {
  readonly force?: boolean;
  readonly dryRun?: boolean;
}

/** Brings a task's files over to the checkout. With `--dry-run`, shows what it would write. */
export async function apply(context: CliContext, id: string, { force, dryRun }: ApplyOptions): Promise<void> {
  const client = await connect(context);
  const body = { force: force === true, dry_run: dryRun === true };
  const result = await client.call("POST /tasks/:id/apply", { params: { id }, body });
  const problems = result.files.filter(({ problem }) => problem !== null);
  const isBlocked = problems.length > 0 && !result.applied && dryRun !== true;
  if (isBlocked) throw refused("Nothing was written", result, force === true);
  printResult(context, result, () => describe(context, result, dryRun === true));
  if (result.applied && problems.length > 0) throw refused("These files were not written", result, true);
  if (dryRun === true && !context.json) await diff(context, result.task);
}

const COLUMNS: readonly Column[] = [{ heading: "FILE", min: 20, keep: "end" }, { heading: "CHANGE" }, { heading: "" }];

function describe(context: CliContext, { files }: AppliedJson, isDryRun: boolean): string {
  const changed = files.filter(({ change, problem }) => change !== "unchanged" && (isDryRun || problem === null));
  if (changed.length === 0) return "The checkout already has these files.\n";
  const rows = (isDryRun ? files : files.filter(({ problem }) => problem === null)).map(({ path, change, problem }) => [
    escapedLine(path),
    change,
    problem ?? "",
  ]);
  const lead = isDryRun ? `Would write ${plural(changed.length, "file")}` : `Wrote ${plural(changed.length, "file")}`;
  return `${lead}:\n${table(context, COLUMNS, rows)}`;
}

function refused(what: string, { task, files }: AppliedJson, wasForced: boolean): UserError {
  const lines = files.flatMap(({ path, problem }) => (problem === null ? [] : [`- ${escapedLine(path)} ${problem}`]));
  return new UserError(
    "conflict",
    `${what}:\n${lines.join("\n")}`,
    wasForced
      ? `See the change with "nightshift diff ${task}" and write these files yourself.`
      : `See the change with "nightshift apply ${task} --dry-run". Use --force to overwrite files that were changed since, and to leave out files that cannot be written.`,
  );
}
