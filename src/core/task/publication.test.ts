import { describe, expect, it } from "vitest";
import { readPublication } from "./publication.ts";

const HEAD = "a".repeat(40);
const PUBLISHED = "b".repeat(40);

type Runs = Parameters<typeof readPublication>[0];

const work = { step: "agent", commit: HEAD, outcome: "implemented", payload: { summary: "s" }, finishedAt: 1 } as const;
const checks = (outcome: string, commit = HEAD) =>
  ({ step: "checks", commit: null, outcome, payload: { commit }, finishedAt: 2 }) as const;
const published = {
  step: "publish",
  commit: PUBLISHED,
  outcome: "published",
  payload: { branch: "agent/x", commit: PUBLISHED, url: null },
  finishedAt: 3,
} as const;
const read = (runs: Runs) => readPublication(runs, HEAD);

describe("readPublication()", () => {
  it("returns a checked and published commit", () => {
    expect(read([work, checks("checks_passed"), published])).toEqual({
      commit: PUBLISHED,
      branch: "agent/x",
      unverified: null,
      at: 3,
    });
  });

  it.each<[string, Runs, string]>([
    ["nothing was published", [work, checks("checks_passed")], "nothing was published yet"],
    ["the work changed", [work, published, work], "the work changed after it was published"],
    ["checks failed later", [work, published, checks("checks_failed")], "it was checked again after it was published"],
    ["a proof failed later", [work, published, checks("not_proven")], "it was checked again after it was published"],
    [
      "another commit was checked",
      [work, checks("checks_passed", "c".repeat(40)), published],
      "the work changed after it was checked",
    ],
  ])("says why it must be published again if %s", (_, runs, reason) => {
    expect(read(runs)).toBe(reason);
  });
});
