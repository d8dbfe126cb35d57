import { isFields } from "./tool-input.ts";

/** `sign` says whether the edit adds or removes the line. A line without one is context or a heading of a patch. */
export interface EditLine {
  readonly sign: "+" | "-" | " ";
  readonly text: string;
}

export interface Edit {
  readonly added: number;
  readonly removed: number;
  readonly lines: readonly EditLine[];
}

const PATCH = /^(?:\*\*\* Begin Patch|diff --git |--- |@@ )/m;
const WRITES = /^(write|create)/i;

/** The change that a tool call asks for, from the parameters that the agent CLIs use. Null if the call is not an edit. */
export function describeEdit(name: string, input: unknown): Edit | null {
  if (typeof input === "string") return PATCH.test(input) ? readPatch(input) : null;
  if (!isFields(input)) return null;
  const replaced = readReplacement(input);
  if (replaced !== null) return toEdit(replaced);
  const { edits, content } = input;
  if (Array.isArray(edits)) {
    const parts = edits.map((edit: unknown) => (isFields(edit) ? readReplacement(edit) : null));
    return parts.some((part) => part === null) ? null : toEdit(parts.flatMap((part) => part ?? []));
  }
  const patch = [input["patch"], input["input"], input["diff"]].find((text) => typeof text === "string");
  if (patch !== undefined && PATCH.test(patch)) return readPatch(patch);
  return typeof content === "string" && WRITES.test(name) ? toEdit(linesOf(content).map(add)) : null;
}

function readReplacement(input: Readonly<Record<string, unknown>>): readonly EditLine[] | null {
  const old = input["old_string"] ?? input["oldString"] ?? input["old_str"];
  const next = input["new_string"] ?? input["newString"] ?? input["new_str"];
  return typeof old === "string" && typeof next === "string" ? compareLines(linesOf(old), linesOf(next)) : null;
}

/** Shows what is equal at the start and at the end once. Agents quote only a few lines around a change. */
function compareLines(old: readonly string[], next: readonly string[]): readonly EditLine[] {
  const shorter = Math.min(old.length, next.length);
  let start = 0;
  while (start < shorter && old[start] === next[start]) start += 1;
  let end = 0;
  while (end < shorter - start && old[old.length - 1 - end] === next[next.length - 1 - end]) end += 1;
  return [
    ...old.slice(0, start).map(keep),
    ...old.slice(start, old.length - end).map(remove),
    ...next.slice(start, next.length - end).map(add),
    ...old.slice(old.length - end).map(keep),
  ];
}

function readPatch(text: string): Edit {
  const lines = linesOf(text).map((line): EditLine => {
    const isHeading = /^(?:\+\+\+ |--- |diff |index |@@|\*\*\*)/.test(line);
    if (!isHeading && line.startsWith("+")) return add(line.slice(1));
    if (!isHeading && line.startsWith("-")) return remove(line.slice(1));
    return keep(isHeading ? line : line.replace(/^ /, ""));
  });
  return toEdit(lines);
}

function toEdit(lines: readonly EditLine[]): Edit {
  const count = (wanted: EditLine["sign"]): number => lines.filter(({ sign }) => sign === wanted).length;
  return { added: count("+"), removed: count("-"), lines };
}

function linesOf(text: string): readonly string[] {
  if (text === "") return [];
  return text.replace(/\r?\n$/, "").split(/\r?\n/);
}

const add = (text: string): EditLine => ({ sign: "+", text });
const remove = (text: string): EditLine => ({ sign: "-", text });
const keep = (text: string): EditLine => ({ sign: " ", text });
