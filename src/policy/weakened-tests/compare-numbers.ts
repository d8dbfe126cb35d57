import { indexLines } from "../../core/text/line-index.ts";
import { readNumber, type NumberRule } from "./ecosystem.ts";
import { countOf, withoutCounted, type Weakening } from "./weakening.ts";

/** Both sides of a file in which numbers are compared. */
export interface NumberSource {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly rules: readonly NumberRule[];
  /** Whether a position in the new file belongs to new code, which may contain any number. */
  readonly isFresh: (place: number) => boolean;
}

interface Mark {
  readonly path: string;
  readonly place: number;
  readonly line: number;
  readonly value: number;
  /** The line without numbers, which identifies it. */
  readonly key: string;
}

export function compareNumbers(sources: readonly NumberSource[]): Weakening[] {
  const rules = new Set(sources.flatMap((source) => source.rules));
  return [...rules].flatMap((rule) => {
    const of = sources.filter((source) => source.rules.includes(rule));
    const before = of.flatMap((source) => findNumbers(source.path, source.before, rule));
    const after = of.flatMap((source) => findNumbers(source.path, source.after, rule));
    return compareMarks(rule, { before, after, of });
  });
}

interface Sides {
  readonly before: readonly Mark[];
  readonly after: readonly Mark[];
  readonly of: readonly NumberSource[];
}

/** More findings of one kind add nothing. */
const MAX_WEAKENINGS = 100;

function compareMarks(rule: NumberRule, { before, after, of }: Sides): Weakening[] {
  const lost = withoutCounted(before, countOf(after, keyAndValue), keyAndValue);
  const won = withoutCounted(after, countOf(before, keyAndValue), keyAndValue);
  const waiting = Map.groupBy(lost, (mark) => `${mark.path}\0${mark.key}`);
  const weakenings: Weakening[] = [];
  let unmatched = lost.length;
  const byPath = new Map(of.map((source) => [source.path, source]));
  for (const mark of won) {
    if (weakenings.length >= MAX_WEAKENINGS) break;
    const was = waiting.get(`${mark.path}\0${mark.key}`)?.shift();
    if (was) unmatched--;
    if (was && isWorse(rule, was.value, mark.value)) weakenings.push(describe(rule, mark, was.value));
    const source = byPath.get(mark.path);
    const counts = rule.added !== undefined && mark.value >= rule.added && after.length > before.length;
    if (!was && counts && source?.isFresh(mark.place) === false) weakenings.push(describe(rule, mark, null));
  }
  // A threshold was removed without a replacement.
  if (rule.trick === "coverage threshold lowered" && after.length < before.length && unmatched > 0) {
    const gone = [...waiting.values()].flat().slice(0, before.length - after.length);
    weakenings.push(...gone.map((mark) => describeGone(rule, mark)));
  }
  return weakenings;
}

function keyAndValue(mark: Mark): string {
  return `${mark.key}\0${mark.value}`;
}

function isWorse(rule: NumberRule, was: number, is: number): boolean {
  return rule.smallerIsWorse ? is < was : is > was;
}

const ADVICE: Readonly<Record<NumberRule["trick"], string>> = {
  "timeout raised": "Find out why it is slow and keep the limit.",
  "retry added": "Find out why it fails instead of retrying.",
  "expectation loosened": "Keep the limit and fix the code instead.",
  "coverage threshold lowered": "Keep the threshold and write the missing tests.",
};

function describe(rule: NumberRule, mark: Mark, was: number | null): Weakening {
  const change = was === null ? "" : ` (from ${was} to ${mark.value})`;
  const [thing = "", verb = ""] = rule.trick.split(/ (?=\w+$)/);
  const what = `${thing === "retry" ? "A retry" : `The ${thing}`} was ${verb}${change}`;
  return { path: mark.path, line: mark.line, what, advice: ADVICE[rule.trick] };
}

function describeGone(rule: NumberRule, mark: Mark): Weakening {
  const what = `A threshold of ${mark.value} was removed (line number before the change)`;
  return { path: mark.path, line: mark.line, what, advice: ADVICE[rule.trick] };
}

function findNumbers(path: string, text: string | null, rule: NumberRule): Mark[] {
  if (text === null) return [];
  const { lineAt } = indexLines(text);
  return [...text.matchAll(rule.pattern)].map((found) => {
    const line = lineAt(found.index) + (/^\s*\n/.exec(found[0])?.[0].split("\n").length ?? 1);
    const value = readNumber(found.groups?.["n"] ?? "0", found.groups?.["unit"]);
    const before = text.slice(Math.max(0, found.index - 200), found.index);
    const key = before.slice(before.lastIndexOf("\n") + 1) + found[0];
    return { path, place: found.index, line, value, key: withoutNumbers(key, found.groups?.["unit"]) };
  });
}

function withoutNumbers(text: string, unit: string | undefined): string {
  const at = unit === undefined ? -1 : text.lastIndexOf(unit);
  const bare = at < 0 || unit === undefined ? text : text.slice(0, at) + text.slice(at + unit.length);
  return bare.replaceAll(/\d[\d_.]*(?:e[+-]?\d+)?|\s+/gi, "");
}
