import type { ChangedFile } from "../diff/changed-file.ts";
import { isTestPath } from "./find-tests.ts";
import { squeeze } from "./squeeze.ts";
import type { Trick } from "./trick.ts";

const SNAPSHOT =
  /\.(?:snap|ambr|golden|approved\.\w+|snapshot)$|(?:^|\/)__(?:snapshots|image_snapshots)__\/|(?:^|\/)testdata\/.*\.(?:golden|want|out|expected)$|(?:^|\/)(?:snapshots|goldens?)\/[^/]*\.(?:txt|json|ya?ml|html|png|snap)$/;

const INLINE =
  /(?:toMatchInlineSnapshot|toThrowErrorMatchingInlineSnapshot|assert_(?:\w+_)?snapshot!|expect!|expect_file!)\s*[([]/g;

const ADVICE = "Bring the recorded result back and repair the code; a person rewrites snapshots.";

export function isSnapshot(path: string): boolean {
  return SNAPSHOT.test(path);
}

/** Recorded results that were written anew, so that whatever the code does now counts as right. */
export function compareSnapshots(files: readonly ChangedFile[]): Trick[] {
  const codeChanged = files.some((file) => !isSnapshot(file.path) && !isTestPath(file.path));
  const now = new Set(files.flatMap((file) => (file.before === null && file.after ? [squeeze(file.after.text)] : [])));
  const tricks = files.filter((file) => isSnapshot(file.path)).flatMap((file) => rewritten(file, now));
  // Without other code there is nothing to hide: a test was renamed, most often.
  return [
    ...tricks.map((trick) => (codeChanged ? trick : { ...trick, mild: true })),
    ...files.flatMap(rewrittenInline),
  ];
}

function rewritten(file: ChangedFile, now: ReadonlySet<string>): Trick[] {
  if (file.change.before === null || (file.before && file.before.text === file.after?.text)) return [];
  const at = { path: file.path, advice: ADVICE };
  if (file.change.after === null) {
    if (file.before && now.has(squeeze(file.before.text))) return [];
    return [{ ...at, line: null, what: "A recorded result was deleted" }];
  }
  const { removed, added } = file.diff();
  // What is only added belongs to new tests.
  if (removed.length === 0 && file.before && !file.before.binary) return [];
  return [{ ...at, line: (added[0] ?? removed[0] ?? 0) + 1, what: "A recorded result was rewritten" }];
}

function rewrittenInline(file: ChangedFile): Trick[] {
  if (!file.before || !file.after || !/napshot|expect!/.test(file.before.text)) return [];
  const [before, after] = [inlineOf(file.before.text), inlineOf(file.after.text)];
  const known = Map.groupBy(before, (snapshot) => snapshot.subject);
  return after.flatMap((snapshot): Trick[] => {
    const was = known.get(snapshot.subject)?.slice(0, 100);
    if (!was || was.some((one) => one.value === snapshot.value)) return [];
    const what = "A recorded result in the test was rewritten";
    return [{ path: file.path, line: snapshot.line, what, advice: ADVICE }];
  });
}

interface Inline {
  readonly line: number;
  readonly subject: string;
  readonly value: string;
}

function inlineOf(text: string): Inline[] {
  let line = 1;
  let counted = 0;
  return [...text.matchAll(INLINE)].flatMap((found): Inline[] => {
    line += text.slice(counted, found.index).split("\n").length - 1;
    counted = found.index;
    const rest = text.slice(found.index + found[0].length, found.index + 4000);
    const before = text.slice(Math.max(0, found.index - 500), found.index);
    const quote = rest.search(/["'`]/);
    const literal = quote < 0 ? null : /^(["'`])(?:(?!\1)[^\\]|\\[^])*\1/.exec(rest.slice(quote));
    const end = /\)[ \t]*(?:;|\n|$)/.exec(rest)?.index ?? rest.length;
    if (!literal || quote > end) return [];
    const subject = squeeze(before.slice(before.lastIndexOf("\n") + 1) + rest.slice(0, quote));
    return [{ line, subject, value: squeeze(literal[0]) }];
  });
}
