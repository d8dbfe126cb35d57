import { indexLines } from "../../core/text/line-index.ts";
import type { ChangedFile, TextSide } from "../diff/changed-file.ts";
import { shorten } from "./compare-assertions.ts";
import { ecosystemOf, isTestPath } from "./find-tests.ts";
import { mask, squeeze } from "./mask.ts";
import { countOf, withoutCounted, type Weakening } from "./weakening.ts";

/** Finds new code that replaces assertions. It can be in any file that the tests load. */
export function compareOverrides(files: readonly ChangedFile[]): Weakening[] {
  const before = files.flatMap((file) => findOverrides(file.path, file.before));
  const after = files.flatMap((file) =>
    findOverrides(file.path, file.after).filter(({ text }) => !IMPORT.test(text) || isExistingTest(file)),
  );
  return withoutCounted(after, countOf(before, textOf), textOf).map(({ path, line, text }) => ({
    path,
    line,
    what: `"${shorten(text)}" replaces an assertion or a function of the test runner`,
    advice: "Remove it, so that assertions can fail.",
  }));
}

/** New tests may use the project's own assertions, but an existing test keeps those it has. */
const IMPORT = /^(?:import|const|let|var)\b.*(?:\bfrom|\brequire\()$/;

function isExistingTest({ path, before }: ChangedFile): boolean {
  return before !== null && isTestPath(path);
}

interface Override {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

function textOf({ text }: Override): string {
  return text;
}

function findOverrides(path: string, side: TextSide | null): Override[] {
  const ecosystem = ecosystemOf(path);
  // Looking for a word is much cheaper than masking every changed file.
  if (side === null || ecosystem?.override === undefined || !/assert|expect|pytest|unittest/i.test(side.text))
    return [];
  const { spoken, code } = mask(side.text, ecosystem.literal);
  const lines = indexLines(spoken);
  // Names of modules are strings, but an override does not start in one.
  return [...spoken.matchAll(ecosystem.override)]
    .filter(({ index }) => code[index] === spoken[index])
    .map(({ index, 0: text }) => ({ path, line: lines.lineAt(index) + 1, text: squeeze(text) }));
}
