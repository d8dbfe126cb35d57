import { describe, expect, it } from "vitest";
import type { CheckJson, RunJson } from "../../../../../src/http/client/client.ts";
import { chooseCell, readMatrix } from "./read-matrix.ts";

const run = (id: string, commit: string | null): RunJson =>
  ({ id, commit: null, payload: { commit } }) as unknown as RunJson; // only what is used
const check = (given: Partial<CheckJson>): CheckJson => ({
  run: "run_1",
  name: "test",
  severity: "error",
  status: "passed",
  exit_code: 0,
  duration_ms: 1,
  tail: "",
  ...given,
});

const RUNS = [run("run_0", "c0"), run("run_1", "c1"), run("run_2", "c2")];

describe("readMatrix()", () => {
  it("has a column for each run with checks, and a row for each check that ever ran", () => {
    const matrix = readMatrix({
      runs: RUNS,
      checks: [check({ name: "build" }), check({}), check({ run: "run_2" }), check({ run: "run_2", name: "lint" })],
      head_commit: "c2",
    });
    expect(matrix.columns.map(({ commit, isHead }) => [commit, isHead])).toEqual([
      ["c1", false],
      ["c2", true],
    ]);
    expect(matrix.names).toEqual(["build", "test", "lint"]);
    expect(matrix.find("run_2", "build")).toBeNull();
    expect(matrix.find("run_2", "lint")?.run).toBe("run_2");
  });
});

const choose = (...checks: readonly CheckJson[]) => {
  const cell = chooseCell(readMatrix({ runs: RUNS, checks, head_commit: "c2" }));
  return cell === null ? null : `${cell.run} ${cell.name}`;
};

it("only the newest run on the head commit is marked as such", () => {
  const { columns } = readMatrix({
    runs: [run("run_1", "c1"), run("run_2", "c1")],
    checks: [check({}), check({ run: "run_2" })],
    head_commit: "c1",
  });
  expect(columns.map(({ isHead }) => isHead)).toEqual([false, true]);
});

describe("chooseCell()", () => {
  it("prefers what failed last and blocks the change", () => {
    expect(
      choose(
        check({ status: "failed" }),
        check({ run: "run_2", name: "lint", status: "failed", severity: "warning" }),
        check({ run: "run_2" }),
      ),
    ).toBe("run_1 test");
  });

  it("takes a warning if nothing failed, else what printed something", () => {
    expect(choose(check({}), check({ run: "run_2", name: "lint", status: "flaky" }))).toBe("run_2 lint");
    expect(choose(check({}), check({ name: "diff-policy", exit_code: null }))).toBe("run_1 test");
    expect(choose(check({ name: "diff-policy", exit_code: null }))).toBeNull();
  });
});
