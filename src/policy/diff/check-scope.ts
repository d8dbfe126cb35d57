import { firstLine, type ChangedFile, type TextSide } from "./changed-file.ts";
import type { DiffRules, Finding } from "./finding.ts";

/** Checks the size of the change. Lock files count, because people have to review them, too. */
export function checkSize(files: readonly ChangedFile[], rules: DiffRules): Finding[] {
  const most = rules.maxChangedLines;
  if (most === null) return [];
  const counts = files.map((file) => {
    const diff = file.diff();
    const [added, removed] = [countLines(file.after, diff.added), countLines(file.before, diff.removed)];
    return { path: file.path, added, removed, all: added + removed };
  });
  const all = counts.reduce((sum, count) => sum + count.all, 0);
  if (all <= most) return [];
  const largest = counts.toSorted((one, other) => other.all - one.all)[0];
  if (!largest) return [];
  const added = counts.reduce((sum, count) => sum + count.added, 0);
  const message =
    `The change has ${all} changed lines (${added} added, ${all - added} removed). At most ${most} are allowed. ` +
    `A long line counts once per ${LINE_LENGTH} characters. ` +
    `The largest part is this file with ${largest.all}. Make a smaller change: leave out everything the task does not need.`;
  return [{ rule: "size", severity: "error", path: largest.path, line: null, message }];
}

const LINE_LENGTH = 200;
/** Other characters than a line feed that break a line on the screen. */
const LINE_BREAK = /[\r\v\f\u0085\u2028\u2029]/;

/** Counts what a reviewer has to read, so that a change cannot hide in one long line or behind other line breaks. */
function countLines(side: TextSide | null, changed: readonly number[]): number {
  return changed.reduce((sum, at) => {
    const parts = (side?.lines[at] ?? "").replace(/\r$/, "").split(LINE_BREAK);
    return sum + parts.reduce((count, part) => count + Math.max(1, Math.ceil(part.length / LINE_LENGTH)), 0);
  }, 0);
}

/** Checks which files were changed, independent of their contents. */
export function checkFiles(files: readonly ChangedFile[], rules: DiffRules): Finding[] {
  const recent = new Set(rules.recentFiles);
  return files.flatMap((file): Finding[] => {
    const findings: Finding[] = [];
    const refuse = (rule: Finding["rule"], message: string): void => {
      findings.push({ rule, severity: "error", path: file.path, line: firstLine(file), message });
    };
    if (recent.has(file.path)) {
      const why = "This file was changed in one of the latest commits, so others may be working on it.";
      refuse("recent_file", `${why} Undo the change to this file and choose another file.`);
    }
    if (rules.concernFiles !== null && !isOfConcern(file.path, rules.concernFiles)) {
      const why = `This file is not part of the selected improvement (${showSome(rules.concernFiles)}).`;
      refuse("outside_concern", `${why} Undo the change to this file.`);
    }
    return findings;
  });
}

function isOfConcern(path: string, concern: readonly string[]): boolean {
  return concern.some((allowed) => (allowed.endsWith("/") ? path.startsWith(allowed) : path === allowed));
}

function showSome(paths: readonly string[]): string {
  if (paths.length === 0) return "no files";
  const shown = paths.slice(0, 3).join(", ");
  return paths.length > 3 ? `${shown} and ${paths.length - 3} more` : shown;
}
