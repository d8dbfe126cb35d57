import { findDependencySection } from "../../core/change/dependency-files.ts";
import type { FileChange, FileSide } from "../../core/change/file-change.ts";
import type { Category } from "../../core/nightly/category.ts";
import { ecosystemOf, isTestPath } from "./find-tests.ts";

/**
 * Existing files of tests that the change alters or deletes. Their earlier version is run against the change, to see whether it
 * alters behaviour that they fix. Files that only moved or import from elsewhere say nothing about behaviour.
 */
export function changedTests(changes: readonly FileChange[]): string[] {
  const added = new Set(changes.filter(({ before }) => before === null).map(({ path }) => nameOf(path)));
  return changes
    .filter(({ path, before, after }) => {
      if (before === null || before.kind === "submodule" || !isTestPath(path)) return false;
      if (after === null) return !added.has(nameOf(path));
      return withoutImports(before) !== withoutImports(after);
    })
    .map(({ path }) => path);
}

/** Files of tests that the change adds or alters, with their helpers and data: what has to be laid over the base commit to run them. */
export function writtenTests(changes: readonly FileChange[]): string[] {
  return changes
    .filter(({ path, after }) => after !== null && after.kind !== "submodule" && isTestPath(path))
    .map(({ path }) => path);
}

/**
 * Whether the change touches anything that can decide which tests run: files of tests, code that contains tests or ends the
 * process, and manifests.
 */
export function touchesTests(changes: readonly FileChange[]): boolean {
  return changes.some(({ path, before, after }) => {
    const ecosystem = ecosystemOf(path);
    if (isTestPath(path) || findDependencySection(path) !== null) return true;
    if (ecosystem === null) return false;
    const { inSource } = ecosystem;
    const [was, is] = [textOf(before), textOf(after)];
    return (inSource !== undefined && [was, is].some((text) => inSource.test(text))) || countEnds(is) > countEnds(was);
  });
}

/** Calls after which a test runner may report success without having run its tests. */
const END_OF_PROCESS =
  /\b(?:process\.(?:exit|reallyExit|kill|abort)|Deno\.exit|os\._exit|sys\.exit|os\.Exit|System\.exit|exitProcess|process::exit)\b/g;

function countEnds(text: string): number {
  return text.match(END_OF_PROCESS)?.length ?? 0;
}

export type ProofMode = "fail" | "ask" | "show";

/** These categories keep the behaviour. */
const KEEPS_BEHAVIOUR: readonly (Category | null)[] = ["refactoring", "docs", "performance"];

/** What happens if the earlier tests fail on the change. The task may ask for changed behaviour, but it is not approved yet. */
export function baseTestsMode(category: Category | null, isAutomatic: boolean): ProofMode {
  if (KEEPS_BEHAVIOUR.includes(category)) return "fail";
  return isAutomatic ? "ask" : "show";
}

const IMPORT =
  /^\s*(?:import\b.*|from\s+\S+\s+import\b.*|(?:pub\s+)?use\s.*|(?:const|let|var)\s[^=]{0,500}=\s*(?:await\s+import|require)\s*\(.*|export\s.*\sfrom\s.*|[\w$,{}*\s]{0,500}\bfrom\s*["'].*|package\s.*)$/;

function withoutImports(side: FileSide): string {
  return textOf(side)
    .split("\n")
    .filter((line) => line.length > 1000 || !IMPORT.test(line))
    .join("\n");
}

function textOf(side: FileSide | null): string {
  return side?.content == null ? "" : new TextDecoder().decode(side.content);
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
