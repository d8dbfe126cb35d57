import { BUILT_IN_CHECKS, describeCheckStatus } from "../../../../../src/core/task/checks/describe-check.ts";
import type { CheckJson } from "../../../../../src/http/client/client.ts";
import { formatDuration } from "../../../ui/format.ts";
import type { GlyphName } from "../../../ui/glyph.tsx";

type Status = CheckJson["status"];

const GLYPHS: Readonly<Record<Status, GlyphName>> = {
  passed: "succeeded",
  failed: "failed",
  inconclusive: "baseline",
  could_not_run: "skipped",
  flaky: "flaky",
  skipped: "skipped",
};

/** A warning does not block the change, so it has no red shape. */
export function glyphOf({ status, severity }: Pick<CheckJson, "status" | "severity">): GlyphName {
  return status === "failed" && severity === "warning" ? "baseline" : GLYPHS[status];
}

/** "1 min 48 s", "failed, exit 1", "red baseline". */
export function describeCell(check: CheckJson): string {
  const { name, status, exit_code: code, duration_ms: duration } = check;
  if (status === "passed") return BUILT_IN_CHECKS.has(name) ? describeCheckStatus(check) : formatDuration(duration);
  if (status === "inconclusive") return "red baseline";
  const word = describeCheckStatus(check);
  return status === "failed" && code !== null ? `${word}, exit ${code}` : word;
}

export function isBuiltIn(name: string): boolean {
  return BUILT_IN_CHECKS.has(name);
}

/** Sentences that explain a status where it appears. */
export const EXPLANATIONS: Readonly<Partial<Record<Status, readonly [word: string, sentence: string]>>> = {
  inconclusive: ["red baseline", "fails in the same way on the base commit. The change is not blamed for it."],
  flaky: ["flaky", "failed, then passed when it was run again at once."],
  could_not_run: [
    "could not run",
    "its program is missing, it timed out or its set-up failed, on the change and on the base commit.",
  ],
  skipped: ["skipped", "did not run, because it does not apply to this change or an earlier check stopped the rest."],
};
