import { indexLines } from "../../core/text/line-index.ts";
import type { ChangedFile } from "../diff/changed-file.ts";
import { isTestPath } from "./find-tests.ts";
import { squeeze } from "./mask.ts";
import type { Weakening } from "./weakening.ts";

const SNAPSHOT =
  /\.(?:snap|ambr|golden|approved\.\w+|snapshot)$|(?:^|\/)__(?:snapshots|image_snapshots)__\/|(?:^|\/)testdata\/.*\.(?:golden|want|out|expected)$|(?:^|\/)(?:snapshots|goldens?)\/[^/]*\.(?:txt|json|ya?ml|html|png|snap)$/;

const INLINE =
  /(?:toMatchInlineSnapshot|toThrowErrorMatchingInlineSnapshot|assert_(?:\w+_)?snapshot!|expect!|expect_file!)\s*[([]/g;

const ADVICE = "Restore the snapshot and fix the code. Only a person may update snapshots.";

export function isSnapshot(path: string): boolean {
  return SNAPSHOT.test(path);
}

/** Finds snapshots that were rewritten, so that any behaviour of the code would pass. */
export function compareSnapshots(files: readonly ChangedFile[]): Weakening[] {
  const codeChanged = files.some((file) => !isSnapshot(file.path) && !isTestPath(file.path));
  const now = new Set(files.flatMap((file) => (file.before === null && file.after ? [squeeze(file.after.text)] : [])));
  const weakenings = files.filter((file) => isSnapshot(file.path)).flatMap((file) => rewritten(file, now));
  // Without other code changes there is nothing to hide; usually a test was renamed.
  return [
    ...weakenings.map((trick) => (codeChanged ? trick : { ...trick, mild: true })),
    ...files.flatMap(rewrittenInline),
  ];
}

function rewritten(file: ChangedFile, now: ReadonlySet<string>): Weakening[] {
  if (file.change.before === null || (file.before && file.before.text === file.after?.text)) return [];
  const at = { path: file.path, advice: ADVICE };
  if (file.change.after === null) {
    if (file.before && now.has(squeeze(file.before.text))) return [];
    return [{ ...at, line: null, what: "A snapshot was deleted" }];
  }
  const { removed, added } = file.diff();
  // Additions belong to new tests.
  if (removed.length === 0 && file.before && !file.before.binary) return [];
  return [{ ...at, line: (added[0] ?? removed[0] ?? 0) + 1, what: "A snapshot was rewritten" }];
}

function rewrittenInline(file: ChangedFile): Weakening[] {
  if (!file.before || !file.after || !/napshot|expect!/.test(file.before.text)) return [];
  const [before, after] = [inlineOf(file.before.text), inlineOf(file.after.text)];
  const known = Map.groupBy(before, (snapshot) => snapshot.subject);
  return after.flatMap((snapshot): Weakening[] => {
    const was = known.get(snapshot.subject)?.slice(0, 100);
    if (!was || was.some((one) => one.value === snapshot.value)) return [];
    const what = "An inline snapshot was rewritten";
    return [{ path: file.path, line: snapshot.line, what, advice: ADVICE }];
  });
}

interface Inline {
  readonly line: number;
  readonly subject: string;
  readonly value: string;
}

function inlineOf(text: string): Inline[] {
  const { lineAt } = indexLines(text);
  return [...text.matchAll(INLINE)].flatMap((found): Inline[] => {
    const rest = text.slice(found.index + found[0].length, found.index + 4000);
    const before = text.slice(Math.max(0, found.index - 500), found.index);
    const quote = rest.search(/["'`]/);
    const literal = quote < 0 ? null : /^(["'`])(?:(?!\1)[^\\]|\\[^])*\1/.exec(rest.slice(quote));
    const end = /\)[ \t]*(?:;|\n|$)/.exec(rest)?.index ?? rest.length;
    if (!literal || quote > end) return [];
    const subject = squeeze(before.slice(before.lastIndexOf("\n") + 1) + rest.slice(0, quote));
    return [{ line: lineAt(found.index) + 1, subject, value: squeeze(literal[0]) }];
  });
}
