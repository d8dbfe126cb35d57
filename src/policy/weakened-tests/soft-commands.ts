import { nameOf, type ChangedFile, type TextSide } from "../diff/changed-file.ts";
import { gateKind } from "../diff/gate-files.ts";
import { shorten } from "./compare-assertions.ts";
import type { NumberRule } from "./ecosystem.ts";
import { countOf, withoutCounted, type Weakening } from "./weakening.ts";

/** Patterns in scripts and check definitions that hide a failure or skip tests. */
const SOFT: readonly RegExp[] = [
  /\|\|\s*(?:true|:|exit\s+0|echo\b|\/bin\/true|return\s+0)(?![\w-])/,
  /(?:;|&(?!&))\s*(?:true|exit\s+0|:)\s*(?:["',]|$)/,
  /^\s*(?:exit\s+0|set\s+\+e)\b/,
  /\b(?:continue-on-error|allow_failure|continueOnError|ignore_failure|ignore_outcome|failure_ignored)["']?\s*[:=]\s*["']?true/i,
  /-D(?:skipTests|maven\.test\.skip|skipITs|maven\.test\.failure\.ignore)(?!=false)|<(?:skipTests|skip|testFailureIgnore|maven\.test\.skip)>\s*true/,
  /\bignoreFailures\s*=\s*true|\s-x\s+(?:test|check)\b|\bonlyIf\s*\{\s*false|\btest\s*:=\s*\{\s*\}|skip\s+in\s+test\s*:=\s*true|Test\s*\/\s*(?:skip|test)\s*:=\s*(?:true|\{\s*\}|\(\s*\))/,
  /passWithNoTests|--pass-with-no-tests|--no-tests=pass|--if-present\b|--exit-zero\b|--no-verify\b|--suppress-no-test-exit-code/,
  /--(?:deselect|ignore|ignore-glob)[ =]|-k\s*["']?not\b|-m\s*["']not\b|testPathIgnorePatterns|--testPathIgnore|\bcollect_ignore|--exclude[ =]\S*test|(?<!\w)-skip[ =]|--\s+--skip\b|--skip[ =]\S|-run\s+\^?\$/,
  /^\t-\s*@?\w|^\.IGNORE\b/,
];

export function compareSoftCommands(files: readonly ChangedFile[]): Weakening[] {
  const judged = files.filter((file) => definesChecks(file.path));
  const before = judged.flatMap((file) => findSoft(file.path, file.before));
  const after = judged.flatMap((file) => findSoft(file.path, file.after));
  return withoutCounted(after, countOf(before, markText), markText).map((mark) => ({
    path: mark.path,
    line: mark.line,
    what: `"${shorten(mark.text)}" hides a failing check or skips tests`,
    advice: "Remove it, so that the check can fail.",
  }));
}

export function definesChecks(path: string): boolean {
  const name = nameOf(path);
  if (/\.(?:md|rst|adoc|txt|html)$/i.test(name)) return false;
  return (
    gateKind(path) !== null ||
    /^(?:package\.json|pyproject\.toml|setup\.cfg|Cargo\.toml|composer\.json|(?:GNUm|m|M)akefile|Dockerfile.*)$|\.(?:sh|bash|mk|ps1|bat|cmd|gradle|sbt)$/.test(
      name,
    )
  );
}

interface SoftMark {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

function markText(mark: SoftMark): string {
  return mark.text;
}

function findSoft(path: string, side: TextSide | null): SoftMark[] {
  const comment = /\.(?:[cm]?[jt]s|jsonc?|kts?|gradle|sbt|scala|xml)$/.test(path)
    ? /^\s*(?:\/\/|\*|<!--)/
    : /^\s*#|\s#\s.*$/;
  return (side?.lines ?? []).flatMap((line, at): SoftMark[] => {
    const text = line.replace(comment, (found) => (/^\s*(?:\/\/|\*|<!--|#)/.test(found) ? "\0" : ""));
    if (text.startsWith("\0") || line.length > 5000 || !SOFT.some((soft) => soft.test(text))) return [];
    return [{ path, line: at + 1, text: text.trim() }];
  });
}

/** Numbers in the configuration of test runners, coverage tools and CI, for all ecosystems. */
export const CONFIG_NUMBERS: readonly NumberRule[] = [
  {
    trick: "coverage threshold lowered",
    pattern:
      /(?:\b(?:branches|functions|lines|statements|perFile|global|threshold|total|package|target|minimum\w*|fail_under|coverageMinimum\w*|COVERAGE_?MIN\w*|MIN_?COVERAGE|COVERAGE_?THRESHOLD)["']?\s*(?::?=|:|>)\s*["']?|--?(?:cov-)?(?:fail-under|check-coverage|lines|branches|functions|statements)[\w-]*[= ]\s*|fail[-_]under[\w-]*["']?\s*[=:]\s*)(?<n>\d[\d.]*)/gi,
    smallerIsWorse: true,
  },
  {
    trick: "timeout raised",
    pattern:
      /(?:test|hook|suite|slow|terminate|default)?[-_.]?timeout\w*["']?\s{0,20}(?::=|[:=( ])\s{0,20}["']?(?<n>\d[\d_]*)(?<unit>ms|s|m|h)?\b/gi,
  },
  {
    trick: "retry added",
    pattern:
      /\b(?:retry|retries|retryTimes|reruns|rerunFailingTestsCount|maxRetries|maxFailures|rerun-fails)\b["']?\s*(?:[:=(> ])\s*["']?(?<n>\d+)|--rerun-fails\b(?<n>)/gi,
    added: 0,
  },
];
