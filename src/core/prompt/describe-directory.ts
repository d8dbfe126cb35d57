import { terminalLine } from "../text/terminal-text.ts";

export interface SizedFile {
  readonly path: string;
  readonly bytes: number;
}

const MAX_DEPTH = 2;
const MAX_DIRECTORIES = 50;
const MAX_FILES = 20;
const MAX_TYPES = 10;
const MAX_NAME = 100;

/**
 * A map of a project for a planner: its directories with the number and size of their files, the files at the top, and the
 * most common file types. Its size is limited, however large the project is. Names are data of the repository.
 * `isComplete`: whether `files` are all files of the project.
 */
export function describeDirectory(files: readonly SizedFile[], isComplete = true): string {
  const directories = new Map<string, Total>();
  const types = new Map<string, Total>();
  const top: string[] = [];
  for (const { path, bytes } of files) {
    const parts = path.split("/");
    const name = parts.pop() ?? "";
    if (parts.length === 0) top.push(name);
    parts.slice(0, MAX_DEPTH).forEach((_, index) => addTo(directories, parts.slice(0, index + 1).join("/"), bytes));
    addTo(types, typeOf(name), bytes);
  }
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  return [
    `${count(files.length)}, ${sizeOf(total)}${isComplete ? "" : ". There are more: the directory is too large to list it all"}.`,
    ...list("Directories", largest(directories, MAX_DIRECTORIES), directories.size),
    ...list("Files at the top", top.slice(0, MAX_FILES).map(clean), top.length),
    ...list("File types", largest(types, MAX_TYPES), types.size),
  ].join("\n");
}

interface Total {
  files: number;
  bytes: number;
}

function addTo(totals: Map<string, Total>, key: string, bytes: number): void {
  const total = totals.get(key) ?? { files: 0, bytes: 0 };
  total.files++;
  total.bytes += bytes;
  totals.set(key, total);
}

/** Those with the most files, sorted by name. */
function largest(totals: ReadonlyMap<string, Total>, max: number): readonly string[] {
  return [...totals]
    .toSorted(([, a], [, b]) => b.files - a.files)
    .slice(0, max)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { files, bytes }]) => `${clean(name)}: ${count(files)}, ${sizeOf(bytes)}`);
}

function list(title: string, lines: readonly string[], all: number): readonly string[] {
  if (lines.length === 0) return [];
  const rest = all - lines.length;
  return [`${title}:`, ...lines.map((each) => `- ${each}`), ...(rest > 0 ? [`- and ${rest} more`] : [])];
}

function typeOf(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? "without extension" : name.slice(dot).toLowerCase();
}

function clean(name: string): string {
  return terminalLine(name, MAX_NAME);
}

function count(files: number): string {
  return `${files} ${files === 1 ? "file" : "files"}`;
}

function sizeOf(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
