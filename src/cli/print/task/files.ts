import { escapedLine, terminalLine } from "../../../core/text/terminal-text.ts";
import { FILE_CHANGES, type FileChange } from "../../../core/task/file-change.ts";
import type { TaskJson } from "../../../http/client/client.ts";
import type { Screen } from "../terminal/style.ts";
import { table, type Column } from "../terminal/table.ts";
import { byteSize } from "../terminal/words.ts";

/** A file that a task changed. What is null is known only for files of the file record, or only for files of the diff. */
export interface ChangedFile extends Pick<FileChange, "path" | "change" | "applies"> {
  readonly size: number | null;
  readonly sha256: string | null;
  readonly insertions: number | null;
  readonly deletions: number | null;
}

/** The files of the diff, and those of the file record. */
export function changedFiles({ artifacts }: Pick<TaskJson, "artifacts">): readonly ChangedFile[] {
  const diff = artifacts.findLast(({ type }) => type === "diff")?.data["files"];
  const files = new Map<string, ChangedFile>();
  // The engine writes both, and the API passes them on unchanged.
  for (const file of Array.isArray(diff) ? (diff as readonly ChangedFile[]) : []) {
    const { path, change, insertions, deletions } = file;
    files.set(path, { path, change, applies: true, size: null, sha256: null, insertions, deletions });
  }
  for (const { label, data } of artifacts.filter(({ type }) => type === "file")) {
    const { change, applies, size, sha256 } = data as unknown as Omit<FileChange, "path">;
    const { insertions = null, deletions = null } = files.get(label) ?? {};
    files.set(label, { path: label, change, applies, size, sha256, insertions, deletions });
  }
  return [...files.values()].toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

export function groupFiles(files: readonly ChangedFile[]): Record<FileChange["change"], readonly object[]> {
  const of = (wanted: FileChange["change"]): readonly object[] =>
    files.filter(({ change }) => change === wanted).map(({ change: _change, ...file }) => file);
  const [created, modified, deleted] = FILE_CHANGES;
  return { created: of(created), modified: of(modified), deleted: of(deleted) };
}

/** Why changes may be missing, a sentence for each reason. */
export function notRecorded({ runs }: Pick<TaskJson, "runs">): readonly string[] {
  return runs.flatMap(({ payload }) => {
    const sentences = payload?.["not_recorded"];
    return Array.isArray(sentences) ? sentences.map(String) : [];
  });
}

const COLUMNS: readonly Column[] = [
  { heading: "FILE", min: 20, keep: "end" },
  { heading: "CHANGE" },
  { heading: "SIZE", align: "right" },
  { heading: "+", align: "right" },
  { heading: "−", align: "right" },
  { heading: "APPLY" },
];
const MAX_SHOWN = 200;
const MAX_WIDTH = 400;

export function describeFiles(screen: Screen, task: Pick<TaskJson, "artifacts" | "runs">): string {
  const files = changedFiles(task);
  const unknown = notRecorded(task).map((sentence) => `  ${terminalLine(sentence, MAX_WIDTH)}\n`);
  if (files.length === 0) return unknown.length === 0 ? "  No files changed.\n" : `\n${unknown.join("")}`;
  const rows = files
    .slice(0, MAX_SHOWN)
    .map((file) => [
      escapedLine(file.path),
      file.change,
      file.size === null ? "" : byteSize(file.size),
      String(file.insertions ?? ""),
      String(file.deletions ?? ""),
      file.applies ? "yes" : file.path.startsWith("/") ? "no, written directly" : "no",
    ]);
  const more = files.length - rows.length;
  const cut = more > 0 ? `  and ${more} more; use --json to see all\n` : "";
  return `\n${table(screen, COLUMNS, rows)}${cut}${unknown.join("")}`;
}
