/** One line of a file's patch. Line numbers start at 1; null on the side that does not have the line. */
export interface PatchLine {
  readonly kind: "same" | "added" | "removed";
  readonly oldLine: number | null;
  readonly newLine: number | null;
  readonly text: string;
}

export interface Hunk {
  /** Such as `@@ -1,5 +1,7 @@`. */
  readonly range: string;
  /** The function or section around the lines, as git found it. */
  readonly section: string;
  readonly lines: readonly PatchLine[];
  /** Sides whose last line has no line break. */
  readonly noNewline: readonly ("old" | "new")[];
}

export interface FileHunks {
  readonly hunks: readonly Hunk[];
  /** Null if the mode is the same. */
  readonly mode: { readonly from: string; readonly to: string } | null;
}

const RANGE = /^(@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@) ?(.*)$/;

interface OpenHunk {
  readonly range: string;
  readonly section: string;
  readonly lines: PatchLine[];
  readonly noNewline: ("old" | "new")[];
}

/** Reads the part of a patch that is about one file; see `splitPatch`. A patch that was cut ends with its last whole line. */
export function readHunks(text: string): FileHunks {
  const hunks: OpenHunk[] = [];
  let [oldLine, newLine] = [0, 0];
  for (const line of text.split("\n")) {
    const found = line.startsWith("@@ ") ? RANGE.exec(line) : null;
    const hunk = hunks.at(-1);
    if (found !== null) {
      const [, range = "", oldStart, newStart, section = ""] = found;
      hunks.push({ range, section, lines: [], noNewline: [] });
      [oldLine, newLine] = [Number(oldStart), Number(newStart)];
    } else if (hunk !== undefined) {
      const rest = line.slice(1);
      if (line.startsWith("+")) hunk.lines.push({ kind: "added", oldLine: null, newLine: newLine++, text: rest });
      else if (line.startsWith("-"))
        hunk.lines.push({ kind: "removed", oldLine: oldLine++, newLine: null, text: rest });
      else if (line.startsWith(" "))
        hunk.lines.push({ kind: "same", oldLine: oldLine++, newLine: newLine++, text: rest });
      else if (line.startsWith("\\")) hunk.noNewline.push(...sidesOf(hunk.lines.at(-1)));
    }
  }
  return { hunks, mode: readMode(text) };
}

function sidesOf(line: PatchLine | undefined): readonly ("old" | "new")[] {
  if (line === undefined) return [];
  return line.kind === "same" ? ["old", "new"] : line.kind === "added" ? ["new"] : ["old"];
}

function readMode(text: string): FileHunks["mode"] {
  const found = /^old mode (\d+)\nnew mode (\d+)$/m.exec(text.slice(0, 10_000));
  return found === null ? null : { from: found[1] ?? "", to: found[2] ?? "" };
}
