import { describe, expect, it } from "vitest";
import { findSharedFiles, isWorkOnFiles, plannedFiles } from "./overlap.ts";

describe("files of a plan", () => {
  it.each([
    [null, []],
    [{ plan: "text" }, []],
    [{ files: ["src/a.ts", "./src/a.ts", " src/b/ ", "", 7] }, ["src/a.ts", "src/b"]],
  ])("of %j are %j", (plan, expected) => {
    expect(plannedFiles({ plan })).toEqual(expected);
  });
});

const manyFiles = (folder: string): string[] =>
  Array.from({ length: 1_000 }, (_, index) => `${folder}/deep/er/file${index}.ts`);

describe("shared files", () => {
  it.each([
    [["src/a.ts", "src/b.ts"], ["src/b.ts", "src/c.ts"], ["src/b.ts"]],
    [["src/a.ts"], ["src"], ["src/a.ts"]],
    [["src"], ["src/deep/a.ts"], ["src"]],
    [["src/a.ts"], ["src/a.tsx", "src/a", "rc/a.ts"], []],
    [[], ["src/a.ts"], []],
  ])("of %j and %j are %j", (mine, others, expected) => {
    expect(findSharedFiles(mine, others)).toEqual(expected);
  });

  it("are found in long plans", () => {
    expect(findSharedFiles(manyFiles("a"), manyFiles("b"))).toEqual([]);
    expect(findSharedFiles(manyFiles("a"), manyFiles("a"))).toHaveLength(1_000);
  });
});

it("planning and reviewing is no work on files", () => {
  const roles = ["plan", "plan_revision", "design", "investigate", "review"] as const;
  expect(roles.filter((role) => isWorkOnFiles({ step: "agent", role }))).toEqual([]);
  expect(isWorkOnFiles({ step: "agent", role: "request_changes" })).toBe(true);
  expect(isWorkOnFiles({ step: "checks", role: null })).toBe(true);
});
