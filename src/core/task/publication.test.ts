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
const review = (outcome: string, commit?: string) =>
  ({
    step: "agent",
    commit: null,
    outcome,
    payload: { summary: "s", comments: [], ...(commit !== undefined && { commit }) },
    finishedAt: 4,
  }) as const;

const read = (runs: Runs, hasReview = true) => readPublication(runs, { headCommit: HEAD, hasReview });

describe("readPublication()", () => {
  it("returns a checked, published and approved commit", () => {
    expect(read([work, checks("checks_passed"), published, review("approved", HEAD)])).toEqual({
      commit: PUBLISHED,
      branch: "agent/x",
      unverified: null,
      unreviewed: null,
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

  it.each<[string, Runs, string | null]>([
    ["an approval of an earlier version, without a commit", [review("approved")], null],
    ["an approval of another commit", [review("approved", "c".repeat(40))], "no reviewer judged this commit"],
    ["no verdict", [], "no reviewer judged this commit"],
    [
      "requested changes",
      [review("approved", HEAD), review("changes_requested", HEAD)],
      "the last review requests changes",
    ],
  ])("judges the review by its newest verdict: %s", (_, reviews, unreviewed) => {
    expect(read([work, published, ...reviews])).toMatchObject({ unreviewed });
  });

  it("needs no review in a pipeline without one", () => {
    expect(read([work, published], false)).toMatchObject({ unreviewed: null });
  });
});
