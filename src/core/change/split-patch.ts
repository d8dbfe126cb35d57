/** The part of a patch that is about one file. */
export interface FilePatch {
  readonly path: string;
  readonly change: "created" | "modified" | "deleted";
  readonly insertions: number;
  readonly deletions: number;
  readonly binary: boolean;
  /** The lines of the patch, from `diff --git` on. */
  readonly text: string;
}

/** Splits a patch of git without renames. Lines of the changed files start with a space, `+` or `-`. */
export function splitPatch(patch: string): readonly FilePatch[] {
  const starts = [...patch.matchAll(/^diff --git /gm)].map(({ index }) => index);
  return starts.map((start, at) => describeFile(patch.slice(start, starts[at + 1] ?? patch.length)));
}

function describeFile(text: string): FilePatch {
  const hunks = text.search(/^@@ /m);
  const head = hunks === -1 ? text : text.slice(0, hunks);
  const body = hunks === -1 ? "" : text.slice(hunks);
  return {
    path: pathOf(head),
    change: /^new file mode /m.test(head) ? "created" : /^deleted file mode /m.test(head) ? "deleted" : "modified",
    insertions: countLines(body, "\n+"),
    deletions: countLines(body, "\n-"),
    binary: /^(?:Binary files |GIT binary patch)/m.test(head),
    text,
  };
}

function countLines(text: string, start: string): number {
  let count = 0;
  for (let at = text.indexOf(start); at !== -1; at = text.indexOf(start, at + 1)) count += 1;
  return count;
}

/** Without renames, both sides have the same path, so the first line is long enough to halve it. */
function pathOf(head: string): string {
  const line = /^diff --git (.*)$/m.exec(head)?.[1] ?? "";
  const quoted = /^"((?:[^"\\]|\\.)*)"/.exec(line)?.[1];
  const side = quoted === undefined ? line.slice(0, (line.length - 1) / 2) : unquote(quoted);
  return side.slice("a/".length);
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/** Reverses git's quoting of names with quotes, backslashes and control characters. */
function unquote(quoted: string): string {
  return quoted.replaceAll(/\\(?:([0-7]{3})|(.))/g, (_, octal: string | undefined, letter = "") =>
    octal === undefined ? (ESCAPES[letter] ?? letter) : String.fromCharCode(Number.parseInt(octal, 8)),
  );
}
