import { describe, expect, it } from "vitest";
import { makeOutcome } from "../../testing/builders.ts";
import { builtIn, start, walk } from "../../testing/walk.ts";
import type { Advance } from "./advance/advance.ts";
import { bindVerdict } from "./verdict.ts";

const HEAD = "a1b2c3d4e5f60718293a4b5c6d7e8f9001122334";
const OLD = "0".repeat(40);

function approved(commit?: string) {
  return makeOutcome("approved", {
    payload: { summary: "fine", comments: [], ...(commit !== undefined && { commit }) },
  });
}

describe("bindVerdict()", () => {
  it("binds a verdict to the commit that was reviewed", () => {
    expect(bindVerdict(approved(), HEAD)).toMatchObject({ name: "approved", payload: { commit: HEAD } });
    expect(bindVerdict(approved(HEAD.slice(0, 12)), HEAD)).toMatchObject({ payload: { commit: HEAD } });
  });

  it.each([OLD, "a1b2", "HEAD", ""])("a report that names another commit (%j) is no verdict", (commit) => {
    expect(bindVerdict(approved(commit), HEAD)).toMatchObject({
      name: "invalid_output",
      summary: expect.stringContaining(HEAD),
    });
  });

  it("leaves other outcomes as they are", () => {
    const failed = makeOutcome("agent_error");
    expect(bindVerdict(failed, HEAD)).toBe(failed);
  });
});

const feature = builtIn("feature");

/** A feature in the state `reviewing`, at the commit HEAD. */
function reviewing(): Advance {
  const now = walk(feature, start(feature), [
    makeOutcome("plan_complete"),
    makeOutcome("approve"),
    makeOutcome("implemented"),
    makeOutcome("checks_passed"),
    makeOutcome("published"),
  ]);
  return { ...now, task: { ...now.task, headCommit: HEAD } };
}

function verdict(name: "approved" | "changes_requested", commit: string) {
  return makeOutcome(name, { payload: { summary: "s", comments: [], commit } });
}

describe("advance: a review", () => {
  it("leads to the merge gate if the newest commit was approved", () => {
    expect(walk(feature, reviewing(), [verdict("approved", HEAD)]).task).toMatchObject({
      state: "merging",
      context: expect.arrayContaining([expect.objectContaining({ kind: "review_approved" })]),
    });
  });

  it("is repeated if the branch moved meanwhile, whatever the verdict was", () => {
    for (const name of ["approved", "changes_requested"] as const) {
      const now = walk(feature, reviewing(), [verdict(name, OLD)]);
      expect(now.next).toMatchObject({ state: "reviewing", role: "review", trigger: null });
      expect(now.task.context.filter(({ source }) => source === "reviewer")).toEqual([]);
    }
  });

  it("without a verdict about the newest commit goes to a person in the end, and counts as no approval", () => {
    const old = verdict("approved", OLD);
    expect(walk(feature, reviewing(), [old, old, old]).task).toMatchObject({ state: "merging", status: "waiting" });
    const invalid = makeOutcome("invalid_output", { summary: "no report" });
    const waiting = walk(feature, reviewing(), [invalid, invalid]);
    expect(waiting.task).toMatchObject({ state: "merging", status: "waiting" });
    expect(waiting.events[0]).toMatchObject({ data: { from: "reviewing", to: "merging", outcome: "invalid_output" } });
  });

  it("requests changes at most three times, then a person decides at the merge gate", () => {
    let now = reviewing();
    for (let round = 1; round <= 3; round += 1) {
      now = walk(feature, now, [verdict("changes_requested", HEAD)]);
      expect(now.next).toMatchObject({ state: "implementing", role: "request_changes" });
      now = walk(feature, now, [makeOutcome("implemented"), makeOutcome("checks_passed"), makeOutcome("published")]);
    }
    expect(walk(feature, now, [verdict("changes_requested", HEAD)]).task).toMatchObject({
      state: "merging",
      waitingFor: { kind: "merge" },
    });
  });
});
