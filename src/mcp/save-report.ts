import { renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readReport } from "../core/outcomes/read-outcome.ts";
import type { ReportRules } from "./rules.ts";

/** The engine reads at most this much. */
const MAX_BYTES = 1024 * 1024;

export type SavedReport =
  | { readonly ok: true; readonly outcome: string }
  | { readonly ok: false; readonly problem: string };

/** Validates an agent's report for its role and saves it to the run's report file. Replaces an earlier report. */
export function saveReport(value: unknown, rules: ReportRules): SavedReport {
  const report = readReport(value, rules);
  if (!report.ok) return report;
  const { name, payload } = report.outcome;
  // Only the keys of the schema are written, because the engine would reject some unknown ones.
  const text = `${JSON.stringify({ outcome: name, ...payload })}\n`;
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_BYTES) return reject(`The report has ${bytes} bytes; at most ${MAX_BYTES} are allowed. Shorten it.`);
  try {
    replaceFile(rules.reportFile, text);
  } catch (error) {
    return reject(`The report could not be written: ${String(error)}.`);
  }
  return { ok: true, outcome: name };
}

function replaceFile(file: string, text: string): void {
  const temporary = join(dirname(file), `.${basename(file)}.${process.pid}`);
  rmSync(temporary, { force: true });
  writeFileSync(temporary, text, { mode: 0o600, flag: "wx", flush: true });
  renameSync(temporary, file);
}

function reject(problem: string): SavedReport {
  return { ok: false, problem };
}
