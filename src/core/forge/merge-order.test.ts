import { describe, expect, it } from "vitest";
import { orderMerges, type OpenBranch } from "./merge-order.ts";

function branch(task: string, createdAt: number, targetConflicts: readonly string[] = []): OpenBranch {
  return { task, createdAt, targetConflicts };
}

const conflict = (one: string, other: string) => ({
  tasks: [one, other] as [string, string],
  files: [`${one}${other}`],
});
const tasks = (...args: Parameters<typeof orderMerges>) => orderMerges(...args).map((each) => each.branch.task);

describe("merge order", () => {
  it("is by age without conflicts", () => {
    expect(tasks([branch("c", 3), branch("a", 1), branch("b", 2)], [])).toEqual(["a", "b", "c"]);
  });

  it("puts a branch that conflicts with an earlier one behind those that do not", () => {
    const branches = [branch("a", 1), branch("b", 2), branch("c", 3)];
    expect(tasks(branches, [conflict("a", "b")])).toEqual(["c", "a", "b"]);
  });

  it("puts one branch that conflicts with two others last, so that only it needs work", () => {
    const branches = [branch("a", 1), branch("b", 2), branch("c", 3)];
    expect(tasks(branches, [conflict("a", "b"), conflict("a", "c")])).toEqual(["b", "c", "a"]);
  });

  it("puts branches that conflict with the target last", () => {
    expect(tasks([branch("a", 1, ["x.ts"]), branch("b", 2)], [])).toEqual(["b", "a"]);
  });

  it("names every conflict of a branch, in the order of the list", () => {
    const branches = [branch("a", 1), branch("b", 2), branch("c", 3)];
    const ordered = orderMerges(branches, [conflict("a", "b"), conflict("a", "c")]);
    expect(ordered.map(({ branch: { task }, conflicts }) => [task, conflicts])).toEqual([
      ["b", [{ task: "a", files: ["ab"] }]],
      ["c", [{ task: "a", files: ["ac"] }]],
      [
        "a",
        [
          { task: "b", files: ["ab"] },
          { task: "c", files: ["ac"] },
        ],
      ],
    ]);
  });
});
