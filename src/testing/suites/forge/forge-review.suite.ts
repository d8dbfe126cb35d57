import { describe, expect, test } from "vitest";
import { isOwnReview, type ReviewDraft } from "../../../core/forge/review-text.ts";
import { draftsOf } from "../../forges/forge-reviews.ts";
import { forgeError } from "../../forges/forge-scene.ts";
import type { ForgeScene } from "../../forges/forge-scene.ts";

const LINES = [
  { file: "new.txt", line: 1, body: "**nit**: first" },
  { file: "new.txt", line: 2, body: "**critical**: second" },
];

/** Contract tests of posting a review. */
export function testForgeReview(scene: ForgeScene): void {
  /** Opens a change request that adds a file with two lines. */
  async function open(): Promise<ReviewDraft> {
    const repo = scene.repo();
    await repo.git("checkout", "--quiet", "-B", "topic", "main");
    await repo.commit({ "new.txt": "one\ntwo\n" });
    const commit = await repo.git("rev-parse", "HEAD");
    await repo.git("checkout", "--quiet", "main");
    await scene.forge().publish(scene.draft({ branch: "topic", commit }));
    return { key: "run_1", commit, body: "Not yet.", comments: LINES };
  }
  const posted = () => scene.loopback.changeRequests[0]?.comments ?? [];
  const places = () =>
    posted()
      .map(({ file, line }) => (file === null ? "text" : `${file}:${line}`))
      .toSorted();

  describe("postReview", () => {
    test("posts the text and the line comments, marked as our own", async () => {
      const draft = await open();
      expect(await scene.forge().postReview(1, draft)).toEqual({ isNew: true });
      expect(places()).toEqual(["new.txt:1", "new.txt:2", "text"]);
      expect(posted().every(({ body }) => isOwnReview(body))).toBe(true);
      expect(posted().find(({ file }) => file === null)?.body).toMatch(/\nNot yet\.$/);
    });

    test("posts a review once, however often it is called", async () => {
      const draft = await open();
      await scene.forge().postReview(1, draft);
      expect(await scene.forge().postReview(1, draft)).toEqual({ isNew: false });
      expect(posted()).toHaveLength(3);
      expect(await scene.forge().postReview(1, { ...draft, key: "run_2" })).toEqual({ isNew: true });
      expect(posted()).toHaveLength(6);
    });

    test("moves comments on lines outside of the diff and on missing files into the text", async () => {
      const draft = await open();
      const comments = [...LINES, { file: "missing.txt", line: 700, body: "**nit**: where?" }];
      await scene.forge().postReview(1, { ...draft, comments });
      const text = posted().find(({ file }) => file === null)?.body ?? "";
      expect(text).toContain("`missing.txt:700` **nit**: where?");
      expect(posted().filter(({ body }) => body.includes("second"))).toHaveLength(1);
    });

    test("posts a review without line comments", async () => {
      const draft = await open();
      await scene.forge().postReview(1, { ...draft, comments: [] });
      expect(places()).toEqual(["text"]);
    });

    test("completes what a crash left, and posts nothing twice", async () => {
      const draft = await open();
      const path = scene.setup.kind === "github" ? /reviews$/ : /bulk_publish$/;
      scene.loopback.fail({ method: "POST", path, status: 500 });
      await forgeError(scene.forge().postReview(1, draft));
      expect(posted()).toEqual([]);
      expect(await scene.forge().postReview(1, draft)).toEqual({ isNew: true });
      expect(places()).toEqual(["new.txt:1", "new.txt:2", "text"]);
    });

    test("does not publish drafts that a person has not finished", async () => {
      if (scene.setup.kind === "github") return;
      const draft = await open();
      const [request] = scene.loopback.changeRequests;
      if (request === undefined) throw new Error("no change request");
      draftsOf(request).push({ note: "my unfinished thought", file: null, line: null });
      await scene.forge().postReview(1, draft);
      expect(places()).toEqual(["text"]);
      expect(posted()[0]?.body).toContain("`new.txt:2` **critical**: second");
      expect(draftsOf(request)).toHaveLength(1);
    });

    test("rejects if there is no such change request", async () => {
      const draft = { key: "k", commit: "0".repeat(40), body: "x", comments: [] };
      expect(await forgeError(scene.forge().postReview(99, draft))).toMatchObject({ trouble: "missing" });
    });
  });
}
