import type { ChangedFile, TextSide } from "../diff/changed-file.ts";
import type { Ecosystem } from "./ecosystem.ts";
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
  return files.flatMap((file) => {
    const ecosystem = ecosystemOf(file.path);
    if (ecosystem === null) return [];
    const [before, after] = [readSide(file.path, file.before, ecosystem), readSide(file.path, file.after, ecosystem)];
    return before || after ? [{ file, before, after }] : [];
  });
}

function readSide(path: string, side: TextSide | null, ecosystem: Ecosystem): TestFile | null {
  return side !== null && holdsTests(path, side.text, ecosystem) ? readTests(path, side.text, ecosystem) : null;
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
