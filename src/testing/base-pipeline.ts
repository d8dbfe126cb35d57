import { parsePipelineText } from "../config/pipeline/parse-pipeline-text.ts";

/** A small valid pipeline that tests modify. */
export const BASE = `name: base
start: implementing
states:
  implementing:
    agent: implement
    on:
      implemented: checking
      no_changes: failed
  checking:
    checks: true
    on:
      checks_passed: looking
      checks_failed: { to: implementing, limit: { repair: 3 }, else: failed }
      policy_failed: { to: implementing, limit: { repair: 3 }, else: failed }
  looking:
    when: forge
    else: done
    wait: approval
    on: { approve: done, reject: cancelled, revise: implementing }
  done: { end: succeeded }
  failed: { end: failed }
  cancelled: { end: cancelled }
`;

/** Returns the base pipeline with these lines replaced, by line number. */
export function base(changes: Readonly<Record<number, string>>): string {
  return BASE.split("\n")
    .map((line, index) => changes[index + 1] ?? line)
    .join("\n");
}

/** Returns its problems as `line:column key: message`. */
export function problems(text: string): readonly string[] {
  const result = parsePipelineText({ name: "base", text, file: "base.yaml" });
  return result.ok ? [] : result.issues.map(({ line, column, key, message }) => `${line}:${column} ${key}: ${message}`);
}
