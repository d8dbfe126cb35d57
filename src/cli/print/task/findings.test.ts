import { expect, test } from "vitest";
import type { CheckJson, TaskJson } from "../../../http/client/client.ts";
import { denials, describeDenied, describeGranted } from "../access.ts";
import { describeCheckStatus } from "../../../core/task/checks/describe-check.ts";
import { describeFindings, lastChecks, severityWord, withoutFindings } from "./findings.ts";

const plain = { color: false };

function check(more: Partial<CheckJson> = {}): CheckJson {
  const base = { run: "run_1", name: "test", severity: "error", status: "failed" } as const;
  return { ...base, exit_code: 1, duration_ms: 5, tail: "not ok\n", ...more };
}

function taskOf(runs: readonly object[], checks: readonly CheckJson[] = []): Pick<TaskJson, "runs" | "checks"> {
  // These lines do not depend on the other fields of a run.
  return { runs: runs as TaskJson["runs"], checks: [...checks] };
}

test.for<[changes: Partial<CheckJson>, word: string, severity: string]>([
  [{ name: "diff-policy", status: "passed", severity: "warning" }, "passed", "–"],
  [{ name: "diff-policy", severity: "warning" }, "warned", "warning"],
  [{ name: "no-secrets" }, "failed", "error"],
  [{ severity: "warning" }, "failed", "warning"],
  [{ status: "passed" }, "passed", "error"],
  [{ status: "could_not_run" }, "could not run", "error"],
])("%o is %s", ([changes, word, severity]) => {
  expect([describeCheckStatus(check(changes)), severityWord(check(changes))]).toEqual([word, severity]);
});

test("findings: errors come first, and checks that passed or have no output are omitted", () => {
  const checks = [
    check({ name: "diff-policy", severity: "warning", tail: "- warning size a.ts: large\n- error links b: out" }),
    check({ tail: "not ok\u001b[2J\n\twanted 1\n" }),
    check({ name: "lint", status: "passed", tail: "all well" }),
    check({ name: "docs", status: "skipped", exit_code: null, tail: "" }),
  ];
  expect(describeFindings(plain, taskOf([], checks))).toBe(
    "  test failed in run_1\n    not ok\n    \twanted 1\n" +
      "  diff-policy warned in run_1\n    - error links b: out\n    - warning size a.ts: large\n",
  );
});

test("findings: a check that failed without any output is shown with its exit code", () => {
  expect(describeFindings(plain, taskOf([], [check({ exit_code: 127, tail: "\n" })]))).toBe(
    "  test failed in run_1\n    It printed nothing and ended with exit code 127.\n",
  );
});

test("findings: the failed tests are named, whatever follows", () => {
  const output = Array.from({ length: 30 }, (_, n) => `line ${n}`);
  const shown = describeFindings(
    plain,
    taskOf(
      [],
      [check({ name: "test", tail: ["Failed tests (2):", "- adds", "- subtracts", "", ...output].join("\n") })],
    ),
  )
    .trimEnd()
    .split("\n")
    .slice(1);
  expect(shown.slice(0, 4)).toEqual(["    Failed tests (2):", "    - adds", "    - subtracts", "    … 23 more lines"]);
  expect(shown.at(-1)).toBe("    line 29");
  expect(shown).toHaveLength(12);
});

test("findings: at most twelve lines, the end of a program's output or the beginning of a list", () => {
  const tail = Array.from({ length: 20 }, (_, n) => `line ${n}`).join("\n");
  const shown = (name: string): string[] =>
    describeFindings(plain, taskOf([], [check({ name, tail })]))
      .trimEnd()
      .split("\n")
      .slice(1);
  expect(shown("test")).toHaveLength(12);
  expect(shown("test")[0]).toBe("    … 9 more lines");
  expect(shown("test").at(-1)).toBe("    line 19");
  expect(shown("no-secrets")).toHaveLength(12);
  expect(shown("no-secrets").at(-1)).toBe("    … and 9 more lines");
  expect(describeFindings(plain, taskOf([], [check({ tail: "x".repeat(10_000) })])).length).toBeLessThan(300);
});

test("findings: findings of earlier runs are omitted", () => {
  const checks = [check(), check({ run: "run_3", status: "passed" })];
  expect(lastChecks(taskOf([{ id: "run_1" }, { id: "run_3" }, { id: "run_4" }], checks))).toEqual(checks.slice(1));
});

test("findings: a reason does not repeat the findings printed below it", () => {
  const task = taskOf([{ id: "run_1" }], [check({ name: "no-secrets", tail: "- error key a.ts:1: a key" })]);
  expect(withoutFindings("the change is refused:\n- error key a.ts:1: a key\nand more", task)).toBe(
    "the change is refused:\nand more",
  );
});

const denied = (kind: string, target: string, count: number, why = "") => ({
  kind,
  target,
  count,
  sentence: `denied: ${target}${why}`,
});

test("denials: each denial of all runs is printed once with its count, without control characters", () => {
  const why = "; to allow it, add it to sandbox.network and run nightshift trust";
  const task = taskOf([
    { denials: [] },
    { denials: [denied("network", "evil.example:443", 2, why), denied("network", "\u001b[2Jx:443", 1)] },
    { denials: [denied("network", "evil.example:443", 3, why), denied("file", "files", 1)] },
  ]);
  expect(denials(task).map(({ target, count }) => [target, count])).toEqual([
    ["files", 1],
    ["evil.example:443", 5],
    ["\u001b[2Jx:443", 1],
  ]);
  expect(describeDenied(task)).toBe(`  file: files\n  network: evil.example:443${why} (5 times)\n  network: x:443\n`);
  expect(describeDenied(taskOf([{ denials: [] }]))).toBe("");
});

test("granted: only runs that got the forge token are listed", () => {
  const granted = {
    run: "run_1",
    summary: "the agent of this run holds the forge's token",
    data: { granted: ["TOKEN"] },
  };
  expect(describeGranted(plain, taskOf([]), [granted])).toBe(
    "  run_1: the agent of this run holds the forge's token\n",
  );
  expect(
    describeGranted(plain, taskOf([]), [
      { ...granted, data: {} },
      { ...granted, data: { granted: [] } },
    ]),
  ).toBe("");
});

test("findings: on a terminal, long lines of output stay indented, and the run has its short id", () => {
  const checks = [check({ run: "run_3k9x2f7m1q", tail: `${"x".repeat(70)} Possible now` })];
  const task = taskOf([{ id: "run_3k9x2f7m1q", short_id: "run_3k9x2f" }], checks);
  const [heading, ...lines] = describeFindings({ color: false, width: 60 }, task).trimEnd().split("\n");
  expect(heading).toBe("  test failed in run_3k9x2f");
  for (const line of lines) expect(line).toMatch(/^ {4}.{1,56}$/);
});
