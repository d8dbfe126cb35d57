import { describe, expect, it } from "vitest";
import { decideProof, findProof, judgeProof, NO_TEST, NO_TEST_CHECK, toProofCheck } from "./proof.ts";
import type { RawCheckStatus } from "./judge-check.ts";

const ran = (status: RawCheckStatus, tests: readonly string[] = [], hasErrors = false) => ({
  status,
  exitCode: status === "passed" ? 0 : 1,
  tail: "spawn failed\nmore",
  counts: null,
  failures: { tests, hasErrors },
});
const passed = ran("passed");

describe("judgeProof", () => {
  it.each([
    ["fail on the base and pass on the change", ran("failed", ["tax"]), passed, passed, "proven"],
    ["do not compile on the base", ran("failed", [], true), passed, passed, "proven"],
    ["fail without a name on the base", ran("failed"), passed, passed, "proven"],
    ["fail on the base, which is flaky by itself", ran("failed", ["tax"]), ran("flaky"), passed, "proven"],
    ["pass on the base", passed, null, passed, "not_proven"],
    ["are flaky on the base", ran("flaky"), null, passed, "not_proven"],
    ["cannot run on the base", ran("could_not_run"), null, passed, "not_proven"],
    ["fail on the change, too", ran("failed", ["tax"]), passed, ran("failed", ["tax"]), "not_proven"],
    ["fail on a red base by another name", ran("failed", ["old", "tax"]), ran("failed", ["old"]), passed, "proven"],
    [
      "fail on a red base by another name, with a change that stays red",
      ran("failed", ["old", "tax"]),
      ran("failed", ["old"]),
      ran("failed", ["old"]),
      "proven",
    ],
    ["fail on a red base by the same name", ran("failed", ["old"]), ran("failed", ["old"]), passed, "not_proven"],
    ["fail on a red base without names", ran("failed"), ran("failed"), passed, "not_proven"],
    ["fail on a base that does not compile", ran("failed", ["tax"]), ran("failed", [], true), passed, "not_proven"],
    ["fail on a base whose check cannot run", ran("failed", ["tax"]), ran("could_not_run"), passed, "not_proven"],
    [
      "fail on a red base, with a change whose failures have no names",
      ran("failed", ["tax"]),
      ran("failed", ["old"]),
      ran("failed"),
      "not_proven",
    ],
  ] as const)("tests that %s", (...row) => {
    const [, onBase, base, onChange, result] = row;
    expect(judgeProof({ onBase, base, onChange }).result).toBe(result);
  });

  it("says which tests prove the fix, or that they do not compile without it", () => {
    const reasonOf = (onBase: ReturnType<typeof ran>) => judgeProof({ onBase, base: passed, onChange: passed }).reason;
    expect(reasonOf(ran("failed", ["tax"]))).toBe('"tax" fails on the base commit and passes on the change.');
    expect(reasonOf(ran("failed", ["a", "b"]))).toBe('"a", "b" fail on the base commit and pass on the change.');
    expect(reasonOf(ran("failed", [], true))).toMatch(/^The tests of the change do not compile or load on the base/);
  });
});

describe("decideProof", () => {
  const passes = judgeProof({ onBase: passed, base: null, onChange: passed });
  it.each([
    ["show", passes, false, "send_back"],
    ["show", passes, true, "continue"],
    ["show", NO_TEST, false, "continue"],
    ["show", NO_TEST_CHECK, false, "continue"],
    ["require", passes, false, "send_back"],
    ["require", passes, true, "ask"],
    ["require", NO_TEST, false, "send_back"],
    ["require", NO_TEST, true, "ask"],
    ["require", NO_TEST_CHECK, false, "ask"],
  ] as const)("%s: %o, sent back before: %s", (gate, proof, wasSentBack, next) => {
    expect(decideProof(proof, gate, wasSentBack)).toBe(next);
  });
});

it("the proof of the newest checks counts, and an older one does not", () => {
  const [old, other] = [toProofCheck("run_1", NO_TEST), { ...toProofCheck("run_2", NO_TEST), name: "test" }];
  expect(findProof([old])?.result).toBe("no_test");
  expect(findProof([old, other])).toBeNull();
  expect(findProof([])).toBeNull();
});
