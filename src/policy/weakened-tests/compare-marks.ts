import { countUpTo } from "../../core/text/line-index.ts";
import { shorten } from "./compare-assertions.ts";
import type { SwallowRule } from "./ecosystem.ts";
import type { TestChange } from "./find-tests.ts";
import { indentEnds } from "./layout.ts";
import { squeeze } from "./mask.ts";
import type { CaseMatch } from "./match-cases.ts";
import type { TestFile } from "./read-tests.ts";
import { countOf, withoutCounted, type Weakening } from "./weakening.ts";

/** Something that weakens a test, such as a skip marker. */
interface Mark {
  readonly file: TestFile;
  readonly place: number;
  readonly line: number;
  readonly text: string;
}

/** More findings of one kind add nothing. */
const MAX_MARKS = 100;

export function compareSkips(changes: readonly TestChange[], match: CaseMatch): Weakening[] {
  // In files that contain only new tests, no earlier test is skipped.
  const known = new Set([
    ...match.pairs.map((pair) => pair.after.file),
    ...changes.flatMap((change) => (change.before && change.after ? [change.after] : [])),
  ]);
  const fresh = Map.groupBy(match.fresh, (test) => test.file);
  return newMarks(changes, findSkips).map((mark) => {
    const isFresh =
      !known.has(mark.file) ||
      fresh.get(mark.file)?.some((test) => test.start <= mark.place && mark.place < test.end) === true;
    const what = `A test is skipped, marked or narrowed by "${shorten(mark.text)}"`;
    const advice = "All tests that ran before must still run.";
    return { path: mark.file.path, line: mark.line, what, advice, ...(isFresh ? { mild: true } : {}) };
  });
}

export function compareSwallows(changes: readonly TestChange[]): Weakening[] {
  return newMarks(changes, findSwallowed).map((mark) => ({
    path: mark.file.path,
    line: mark.line,
    what: `A failure of "${shorten(mark.text)}" is caught and ignored`,
    advice: "A failing assertion must fail its test.",
  }));
}

/** Returns marks that are new. Only the increase counts, so that a moved mark is not new. */
function newMarks(changes: readonly TestChange[], find: (file: TestFile) => Mark[]): Mark[] {
  const before = changes.flatMap((change) => (change.before ? find(change.before) : []));
  const after = changes.flatMap((change) => (change.after ? find(change.after) : []));
  const more = after.length - before.length;
  if (more <= 0) return [];
  const inPlace = withoutCounted(after, countOf(before, placeOf), placeOf);
  const leftBefore = withoutCounted(before, countOf(after, placeOf), placeOf);
  const moved = withoutCounted(
    inPlace,
    countOf(leftBefore, (mark) => mark.text),
    (mark) => mark.text,
  );
  return moved.slice(0, Math.min(more, MAX_MARKS));
}

function placeOf(mark: Mark): string {
  return `${mark.file.path}\0${mark.text}`;
}

function findSkips(file: TestFile): Mark[] {
  // Go's build constraints are comments; all other marks are code.
  const source = file.ecosystem.name === "Go" ? withBuildLines(file) : file.source.code;
  return [...source.matchAll(file.ecosystem.skip)].map((found) => {
    const place = found.index + Math.max(0, found[0].search(/\S/));
    return { file, place, line: file.layout.lineAt(place) + 1, text: squeeze(found[0]) };
  });
}

function withBuildLines(file: TestFile): string {
  const { code, text } = file.source;
  return text.replaceAll(/^\/\/(?:go:build|\s*\+build)[^\n]*|[^]/gm, (part, place: number) =>
    part.length > 1 ? part : code.charAt(place),
  );
}

/** Assertions in blocks that catch and ignore failures. */
function findSwallowed(file: TestFile): Mark[] {
  if (file.assertions.length === 0) return [];
  const marks = file.ecosystem.swallow.flatMap((rule) =>
    file.ecosystem.isIndented ? swallowedByIndent(file, rule) : swallowedByBrackets(file, rule),
  );
  return marks.toSorted((one, other) => one.place - other.place);
}

function swallowedByBrackets(file: TestFile, rule: SwallowRule): Mark[] {
  const { code } = file.source;
  return [...code.matchAll(rule.open)].flatMap((found): Mark[] => {
    const open = found.index + found[0].length - 1;
    const close = file.layout.closes.get(open) ?? code.length;
    const rest = code.slice(close + 1, close + 400);
    if (rule.then === undefined) {
      if (file.ecosystem.name === "Go") {
        // `recover` applies to the whole test, not to the deferred block.
        return rule.unless.test(code.slice(open, close)) ? [] : [markAt(file, found.index, found[0])];
      }
      if (found[0].startsWith(".catch")) {
        const line = file.layout.lineAt(found.index);
        const near = file.assertions[firstAfter(file, found.index) - 1];
        return near && line - near.line < 4 && !rule.unless.test(code.slice(open + 1, close))
          ? [markAt(file, found.index, near.text)]
          : [];
      }
      return rule.unless.test(rest) ? [] : inside(file, open, close);
    }
    const caught = rule.then.exec(rest);
    if (!caught) return [];
    const body = close + caught[0].length;
    const end = file.layout.closes.get(body) ?? code.length;
    return rule.unless.test(code.slice(body, end)) ? [] : inside(file, open, close);
  });
}

function swallowedByIndent(file: TestFile, rule: SwallowRule): Mark[] {
  const { code } = file.source;
  const found = [...code.matchAll(rule.open)];
  if (found.length === 0) return [];
  const ends = indentEnds(code);
  return found.flatMap(({ index }): Mark[] => {
    const line = file.layout.lineAt(index);
    const end = ends[line] ?? file.layout.lineCount;
    const place = file.layout.startOf(end);
    if (rule.then === undefined) return inside(file, index, place);
    if (!rule.then.test(code.slice(place, place + 200))) return [];
    const caught = code.slice(place, file.layout.startOf(ends[end] ?? file.layout.lineCount));
    return rule.unless.test(caught) ? [] : inside(file, index, place);
  });
}

function inside(file: TestFile, start: number, end: number): Mark[] {
  const marks: Mark[] = [];
  for (let at = firstAfter(file, start); marks.length < MAX_MARKS; at++) {
    const assertion = file.assertions[at];
    if (!assertion || assertion.place >= end) break;
    marks.push(markAt(file, assertion.place, assertion.text));
  }
  return marks;
}

/** The index of the first assertion after a position. They are sorted. */
function firstAfter(file: TestFile, place: number): number {
  return countUpTo(file.assertions, place, (assertion) => assertion.place);
}

function markAt(file: TestFile, place: number, text: string): Mark {
  return { file, place, line: file.layout.lineAt(place) + 1, text: squeeze(text) };
}
