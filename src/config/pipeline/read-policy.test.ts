import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DEFAULT_POLICY, defaultPolicy } from "../../core/pipeline/pipeline-policy.ts";
import { base, problems } from "../../testing/base-pipeline.ts";
import { parsePipelineText } from "./parse-pipeline-text.ts";

const withPolicy = (policy: string): string => base({ 2: `start: implementing\npolicy: ${policy}` });
/** Text of `improve.yaml`, optionally changed. */
const improve = (change: (text: string) => string = (text) => text): string =>
  change(readFileSync(join(import.meta.dirname, "../../builtin/pipelines/improve.yaml"), "utf8"));

const read = (text: string) => policyOf("base", text);

function policyOf(name: string, text: string) {
  const result = parsePipelineText({ name, text, file: `${name}.yaml` });
  if (!result.ok) throw new Error(result.issues.map(({ message }) => message).join("\n"));
  return result.pipeline.policy;
}

describe("readPolicy", () => {
  it("uses the defaults without a policy block and for every missing key", () => {
    expect(read(base({}))).toEqual(DEFAULT_POLICY);
    expect(read(withPolicy("{}"))).toEqual(DEFAULT_POLICY);
    expect(
      read(withPolicy("{ checks: related, change: { gates: refuse }, publish: { one_at_a_time: true } }")),
    ).toEqual({
      ...DEFAULT_POLICY,
      checks: "related",
      change: { ...DEFAULT_POLICY.change, gates: "refuse" },
      publish: { ...DEFAULT_POLICY.publish, oneAtATime: true },
    });
  });

  it("accepts a number of lines or the name of a setting", () => {
    expect(read(withPolicy("{ change: { max_lines: 400 } }")).change.maxLines).toBe(400);
    expect(read(withPolicy("{ change: { max_lines: improve.max_diff_lines } }")).change.maxLines).toBe(
      "improve.max_diff_lines",
    );
  });

  it("returns the same policy for a stored `improve` from before the block existed", () => {
    const stored = improve((text) => text.replace(/^policy:\n(?: .*\n)+/m, ""));
    expect(stored).not.toContain("policy:");
    expect(policyOf("improve", stored)).toEqual(defaultPolicy(true));
    expect(policyOf("improve", improve())).toEqual(defaultPolicy(true));
  });

  it("does not use the nightly defaults if there is a policy block", () => {
    const own = improve((text) => text.replace(/^policy:\n(?: .*\n)+/m, "policy: { report: night }\n"));
    expect(policyOf("improve", own)).toEqual({ ...DEFAULT_POLICY, report: "night" });
  });
});

describe("readPolicy: invalid policy", () => {
  it.each<[why: string, policy: string, expected: readonly string[]]>([
    ["not a map", "strict", ['3:1 policy: Expected the pipeline\'s policy, found "strict".']],
    ["unknown key", "{ chnage: {} }", ['3:11 policy.chnage: Unknown key "chnage". Did you mean "change"?']],
    [
      "several problems",
      "{ change: { max_lines: many, gates: no }, ledger: yes please, report: day }",
      [
        '3:21 policy.change.max_lines: Expected a number of lines or improve.max_diff_lines, found "many".',
        '3:38 policy.change.gates: Expected a rule, found "no". Allowed: refuse, show.',
        '3:51 policy.ledger: Expected true or false, found "yes please".',
        '3:71 policy.report: Expected a kind of report, found "day". Allowed: task, night.',
      ],
    ],
    ["no lines", "{ change: { max_lines: 0 } }", ["3:21 policy.change.max_lines: Expected a whole number from 1 to"]],
    [
      "an unknown finding",
      "{ change: { insist: [secrets] } }",
      ['3:30 policy.change.insist.0: Expected a finding, found "secrets". Allowed: weakened_tests.'],
    ],
    [
      "a branch without a name for the change",
      "{ branch: night-shift }",
      ['3:11 policy.branch: Expected a branch such as "night-shift/{{slug}}", found "night-shift".'],
    ],
    [
      "a branch that is invalid in git",
      '{ branch: "a..b/{{slug}}" }',
      ['3:11 policy.branch: Expected a branch such as "night-shift/{{slug}}"'],
    ],
    [
      "a policy without the states it needs",
      "{ ledger: true, context: analysis, publish: { text: described } }",
      [
        "3:11 policy.ledger: This needs a state with `agent: analyze`, but there is none.",
        "3:25 policy.context: This needs a state with `agent: analyze`, but there is none.",
        "3:55 policy.publish.text: This needs a state with `agent: analyze`, but there is none.",
        "3:55 policy.publish.text: This needs a state with `agent: describe`, but there is none.",
      ],
    ],
    ["a cap without a ledger", "{ publish: { cap_open: true } }", ["3:22 policy.publish.cap_open: The ledger counts"]],
    ["categories without a list", "{ categories: [docs] }", ["3:11 policy.categories: This pipeline has no list"]],
    [
      "an unknown category",
      "{ categories: [dcos] }",
      [
        "3:11 policy.categories: This pipeline has no list",
        '3:24 policy.categories.0: Expected a category, found "dcos". Did you mean "docs"?',
      ],
    ],
  ])("%s", (_why, policy, expected) => {
    const found = problems(withPolicy(policy));
    expect(found.map((problem, index) => problem.slice(0, expected[index]?.length))).toEqual(expected);
  });
});
