import { describe, expect, it } from "vitest";
import { DEFAULT_REACT } from "../settings/settings.ts";
import { NOTHING_SEEN, type PublishedBranch } from "../task/task.ts";
import { findReaction, type ReactionParams, type SeenComment } from "./find-reaction.ts";
import { reviewMark } from "./review-text.ts";

const published: PublishedBranch = { head: "b", base: "main", people: null, seen: NOTHING_SEEN };

function comment(id: string, fields: Partial<SeenComment> = {}): SeenComment {
  return { id, author: "alice", body: id, isBot: false, requestsChanges: true, ...fields };
}

function react(
  request: Partial<ReactionParams<SeenComment>["request"]>,
  params: Partial<ReactionParams<SeenComment>> = {},
) {
  return findReaction({
    published,
    pushed: ["a", "b"],
    request: { headCommit: "b", hasConflict: false, ci: "none", comments: [], ...request },
    members: new Set(["alice"]),
    react: DEFAULT_REACT,
    ...params,
  });
}

describe("findReaction", () => {
  it("reacts once to failed CI of the newest commit", () => {
    const found = react({ ci: "failed" });
    expect(found).toMatchObject({ kind: "ci", seen: { ci: "b" } });
    const seen = found?.seen ?? NOTHING_SEEN;
    expect(react({ ci: "failed" }, { published: { ...published, seen } })).toBeNull();
    expect(react({ ci: "running" })).toBeNull();
    expect(react({ ci: "failed" }, { react: { ...DEFAULT_REACT, ci: false } })).toBeNull();
  });

  it("ignores results of an older commit of the task, and reacts to a commit that it did not push", () => {
    expect(react({ headCommit: "a", ci: "failed", hasConflict: true })).toBeNull();
    expect(react({ headCommit: "", ci: "none" })).toBeNull();
    expect(react({ headCommit: "c", ci: "failed" })).toMatchObject({ kind: "commits" });
  });

  it("reacts once to comments, and only to those of members that request changes", () => {
    const found = react({ comments: [comment("1"), comment("2", { requestsChanges: false })] });
    expect(found).toMatchObject({ kind: "comments", seen: { comments: ["1", "2"] } });
    const seen = found?.seen ?? NOTHING_SEEN;
    expect(react({ comments: [comment("1")] }, { published: { ...published, seen } })).toBeNull();
    expect(react({ comments: [comment("1", { author: "mallory" })] })).toBeNull();
    expect(react({ comments: [comment("1", { isBot: true })] })).toBeNull();
    expect(react({ comments: [comment("1", { body: `${reviewMark("run_1")} Rename it.` })] })).toBeNull();
    expect(react({ comments: [comment("1", { requestsChanges: false })] })).toBeNull();
  });

  it("follows the project's settings for comments", () => {
    const comments = [comment("1", { requestsChanges: false })];
    expect(react({ comments }, { react: { ci: true, comments: "all", quietMs: 0 } })).toMatchObject({
      kind: "comments",
    });
    expect(react({ comments: [comment("1")] }, { react: { ci: true, comments: "off", quietMs: 0 } })).toBeNull();
    const stranger = [comment("1", { author: "mallory" })];
    expect(react({ comments: stranger }, { react: { ci: true, comments: "all", quietMs: 0 } })).toBeNull();
  });

  it("reacts once to a conflict, and not while the forge is still computing it", () => {
    const found = react({ hasConflict: true });
    expect(found).toMatchObject({ kind: "conflict", seen: { conflict: "b" } });
    expect(react({ hasConflict: true }, { published: { ...published, seen: found?.seen ?? NOTHING_SEEN } })).toBeNull();
    expect(react({ hasConflict: null })).toBeNull();
  });
});
