import type { ChangedFile } from "../diff/changed-file.ts";
import type { Ecosystem } from "./ecosystem.ts";
import type { KnownAssertions } from "./find-assertions.ts";
import { go } from "./go.ts";
import { javascript } from "./javascript.ts";
import { jvm } from "./jvm.ts";
import { python } from "./python.ts";
import { readTests, type TestFile } from "./read-tests.ts";
import { rust } from "./rust.ts";

const ECOSYSTEMS: readonly Ecosystem[] = [javascript, python, go, jvm, rust];

export function ecosystemOf(path: string): Ecosystem | null {
  return ECOSYSTEMS.find((known) => known.file.test(path)) ?? null;
}

/** A change of tests, with both sides parsed. */
export interface TestChange {
  readonly file: ChangedFile;
  readonly before: TestFile | null;
  readonly after: TestFile | null;
}

export function findTests(files: readonly ChangedFile[]): TestChange[] {
  const known: KnownAssertions = new Map();
  return files.flatMap((file) => {
    const ecosystem = ecosystemOf(file.path);
    if (ecosystem === null) return [];
    const [before, after] = [readSide(file, "before", ecosystem, known), readSide(file, "after", ecosystem, known)];
    return before || after ? [{ file, before, after }] : [];
  });
}

function readSide(
  file: ChangedFile,
  which: "before" | "after",
  ecosystem: Ecosystem,
  known: KnownAssertions,
): TestFile | null {
  const side = file[which];
  if (side === null || !holdsTests(file.path, side.text, ecosystem)) return null;
  return readTests(file.path, side.text, ecosystem, known);
}

function holdsTests(path: string, text: string, ecosystem: Ecosystem): boolean {
  if (ecosystem.near.test(path)) return true;
  return ecosystem.inSource === undefined ? ecosystem.runs.test(path) : ecosystem.inSource.test(text);
}

export function isTestPath(path: string): boolean {
  const ecosystem = ecosystemOf(path);
  if (ecosystem === null) return /(?:^|\/)(?:tests?|__tests__|testdata|specs?|fixtures|__snapshots__)\//.test(path);
  return ecosystem.near.test(path) || (ecosystem.inSource === undefined && ecosystem.runs.test(path));
}
