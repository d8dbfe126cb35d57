import { renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readReport } from "../core/outcomes/read-outcome.ts";
import type { ReportRules } from "./rules.ts";

/** As much as the engine reads. */
const MAX_BYTES = 1024 * 1024;

export type KeptReport =
  | { readonly ok: true; readonly outcome: string }
  | { readonly ok: false; readonly problem: string };

/** Writes what an agent reported to the run's report file, in the place of an earlier one, if the role may report it. */
export function keepReport(value: unknown, rules: ReportRules): KeptReport {
  const report = readReport(value, rules);
  if (!report.ok) return report;
  const { name, payload } = report.outcome;
  // Without the keys that no schema knows: the engine would stumble over some of them.
  const text = `${JSON.stringify({ outcome: name, ...payload })}\n`;
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_BYTES) return refuse(`The report has ${bytes} bytes; it may have ${MAX_BYTES} at most. Shorten it.`);
  try {
    replaceFile(rules.reportFile, text);
  } catch (error) {
    return refuse(`The report could not be written: ${String(error)}.`);
  }
  return { ok: true, outcome: name };
}

function replaceFile(file: string, text: string): void {
  const temporary = join(dirname(file), `.${basename(file)}.${process.pid}`);
  rmSync(temporary, { force: true });
  writeFileSync(temporary, text, { mode: 0o600, flag: "wx", flush: true });
  renameSync(temporary, file);
}

function refuse(problem: string): KeptReport {
  return { ok: false, problem };
}
