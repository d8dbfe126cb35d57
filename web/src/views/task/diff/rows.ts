import type { Hunk, PatchLine } from "../../../../../src/core/change/read-hunks.ts";
import type { Change, ChangedFile, Finding, Remark } from "./change.ts";
import { type CodeLine, takeWhile, withPartners } from "./pair-lines.ts";
import type { LineDraft } from "./use-review-draft.ts";

export type Layout = "unified" | "split";

interface InFile {
  readonly key: string;
  readonly file: ChangedFile;
}

export type Row =
  | (InFile & { readonly kind: "file"; readonly isOpen: boolean })
  | (InFile & { readonly kind: "finding"; readonly finding: Finding })
  | (InFile & { readonly kind: "hunk"; readonly hunk: Hunk })
  | (InFile & { readonly kind: "line"; readonly line: CodeLine })
  | (InFile & { readonly kind: "pair"; readonly left: CodeLine | null; readonly right: CodeLine | null })
  | (InFile & { readonly kind: "remark"; readonly remark: Remark })
  | (InFile & { readonly kind: "draft"; readonly draft: LineDraft })
  | (InFile & { readonly kind: "note"; readonly text: string })
  | (InFile & { readonly kind: "end" })
  | { readonly key: string; readonly file: null; readonly kind: "general"; readonly remark: Remark };

export interface RowOptions {
  readonly layout: Layout;
  readonly drafts: readonly LineDraft[];
  readonly isClosed: (file: ChangedFile) => boolean;
  readonly isCut: boolean;
}

/** Everything that the diff shows, one entry for each row. Only the rows in view are rendered. */
export function listRows(change: Change, options: RowOptions): readonly Row[] {
  const general = change.remarks.map((remark, index): Row => ({
    key: `general:${index}`,
    kind: "general",
    file: null,
    remark,
  }));
  return [...general, ...change.files.flatMap((file) => rowsOfFile(file, options))];
}

function rowsOfFile(file: ChangedFile, options: RowOptions): readonly Row[] {
  const base = { file, key: `${file.path}:` };
  const isOpen = !options.isClosed(file);
  const head: Row = { ...base, key: `${base.key}file`, kind: "file", isOpen };
  const end: Row = { ...base, key: `${base.key}end`, kind: "end" };
  if (!isOpen) return [head, end];
  const { hunks, mode } = file.hunks();
  const shown = new Set(hunks.flatMap(({ lines }) => lines.flatMap(({ newLine }) => newLine ?? [])));
  const atLine = (line: number | null): boolean => line !== null && shown.has(line);
  const attached = attach(file, options.drafts);
  const rows: Row[] = [head, ...attached((line) => !atLine(line)), ...notesOf(file, mode, options.isCut)];
  let index = { old: 0, new: 0 };
  for (const [at, hunk] of hunks.entries()) {
    rows.push({ ...base, key: `${base.key}hunk${at}`, kind: "hunk", hunk });
    const lines = withPartners(hunk.lines, index);
    index = { old: index.old + countSide(lines, "oldLine"), new: index.new + countSide(lines, "newLine") };
    for (const row of options.layout === "split" ? pairs(lines, base) : singles(lines, base)) {
      rows.push(row);
      const line = row.kind === "line" ? row.line.newLine : row.kind === "pair" ? (row.right?.newLine ?? null) : null;
      if (line !== null) rows.push(...attached((each) => each === line));
    }
  }
  return [...rows, end];
}

function notesOf(
  file: ChangedFile,
  mode: { readonly from: string; readonly to: string } | null,
  isCut: boolean,
): Row[] {
  const note = (name: string, text: string): Row => ({ file, key: `${file.path}:${name}`, kind: "note", text });
  const notes: Row[] = [];
  // The built-in review says the same.
  const isFound = file.findings.some(({ rule }) => rule === "mode");
  if (mode !== null && !isFound) notes.push(note("mode", `The mode changed from ${mode.from} to ${mode.to}.`));
  if (file.movedFrom !== null) notes.push(note("moved", "Moved without a change."));
  else if (file.binary) notes.push(note("binary", "A binary file. Its content is not shown."));
  else if (file.patch === "" && isCut)
    notes.push(note("cut", "The patch was cut before this file. Look at it in the branch."));
  else if (file.insertions + file.deletions === 0 && mode === null)
    notes.push(note("empty", file.change === "created" ? "A new empty file." : "No line changed."));
  return notes;
}

type Attached = (isHere: (line: number | null) => boolean) => readonly Row[];

/** Findings, comments and drafts at a line of the file. */
function attach(file: ChangedFile, all: readonly LineDraft[]): Attached {
  const { path } = file;
  const drafts = all.filter((draft) => draft.file === path);
  return (isHere) => [
    ...file.findings.flatMap((finding, at): readonly Row[] =>
      isHere(finding.line) ? [{ file, key: `${path}:finding${at}`, kind: "finding", finding }] : [],
    ),
    ...file.remarks.flatMap((remark, at): readonly Row[] =>
      isHere(remark.comment.line) ? [{ file, key: `${path}:remark${at}`, kind: "remark", remark }] : [],
    ),
    ...drafts.flatMap((draft): readonly Row[] =>
      isHere(draft.line) ? [{ file, key: `${path}:draft${draft.id}`, kind: "draft", draft }] : [],
    ),
  ];
}

function countSide(lines: readonly CodeLine[], side: "oldLine" | "newLine"): number {
  return lines.filter((line) => line[side] !== null).length;
}

function singles(lines: readonly CodeLine[], { file, key }: InFile): readonly Row[] {
  return lines.map((line): Row => ({ file, key: `${key}${nameLine(line)}`, kind: "line", line }));
}

/** Two columns: what was there, and what is there now. */
function pairs(lines: readonly CodeLine[], { file, key }: InFile): readonly Row[] {
  const rows: Row[] = [];
  const add = (left: CodeLine | null, right: CodeLine | null): void => {
    const name = `${left === null ? "" : nameLine(left)}|${right === null ? "" : nameLine(right)}`;
    rows.push({ file, key: `${key}${name}`, kind: "pair", left, right });
  };
  for (let at = 0; at < lines.length;) {
    const line = lines[at];
    if (line === undefined) break;
    if (line.kind === "same") {
      add(line, line);
      at += 1;
      continue;
    }
    const removed = takeWhile(lines, at, "removed") as readonly CodeLine[]; // they come from `lines`
    const added = takeWhile(lines, at + removed.length, "added") as readonly CodeLine[];
    for (let row = 0; row < Math.max(removed.length, added.length); row += 1)
      add(removed[row] ?? null, added[row] ?? null);
    at += removed.length + added.length;
  }
  return rows;
}

function nameLine({ oldLine, newLine }: PatchLine): string {
  return `${oldLine ?? ""},${newLine ?? ""}`;
}
