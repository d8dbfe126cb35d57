import { describe, expect, test } from "vitest";
import { forgeError } from "../../forges/forge-scene.ts";
import type { ForgeScene } from "../../forges/forge-scene.ts";
import { git } from "../../temp-repo.ts";

/** Contract tests of reading: lists, states, comments, CI. */
export function testForgeReading(scene: ForgeScene): void {
  describe("listOpen", () => {
    test("returns the open ones with a label over all pages, newest first", async () => {
      await scene.restart({ maxPerPage: 2 });
      for (let n = 1; n <= 7; n++) {
        const changeRequest = await scene.loopback.openRequest({ branch: `b${n}` });
        changeRequest.labels.push(n === 3 ? "other" : "night-shift");
      }
      scene.loopback.closeRequest(5);
      const open = await scene.forge().listOpen("night-shift");
      expect(open.map(({ number }) => number)).toEqual([7, 6, 4, 2, 1]);
      expect(open[0]).toEqual({ number: 7, title: "b7", branch: "b7", url: expect.stringContaining("/team/shop/") });
      expect(await scene.forge().listOpen("none-has-it")).toEqual([]);
    });
  });

  describe("readIssue", () => {
    test("returns title, text and address of an issue, also without a text", async () => {
      scene.loopback.openIssue({ number: 1012, title: "Crash at start", body: "It crashes.\n" });
      scene.loopback.openIssue({ number: 1013, title: "Empty", body: null });
      const url = expect.stringMatching(/\/team\/shop\/.*1012$/);
      const issue = { number: 1012, title: "Crash at start", body: "It crashes.\n", url };
      expect(await scene.forge().readIssue(1012)).toEqual(issue);
      expect(await scene.forge().readIssue(1013)).toMatchObject({ title: "Empty", body: "" });
    });

    test("rejects an unknown number and the number of a change request", async () => {
      await scene.makeBranch("night-shift/faster");
      const { number } = await scene.forge().publish(scene.draft());
      for (const each of [99, number])
        expect(await forgeError(scene.forge().readIssue(each))).toMatchObject({
          trouble: "missing",
          kind: "not_found",
        });
    });
  });

  describe("read", () => {
    test("returns the author, the text and the target of somebody else's change request", async () => {
      await scene.makeBranch("topic");
      await scene.loopback.openRequest({ branch: "topic", title: "Greet", body: "It greets.", author: "mallory" });
      const expected = { author: "mallory", body: "It greets.", target: "main", title: "Greet" };
      expect(await scene.forge().read(1)).toMatchObject(expected);
      expect(await scene.forge().readState(1)).toMatchObject({ target: "main", state: "open" });
    });

    test("findNumber and headRef belong to the address and the commit of a change request", async () => {
      const commit = await scene.makeBranch("topic");
      await scene.loopback.openRequest({ branch: "topic" });
      const { url } = await scene.forge().readState(1);
      expect(scene.forge().findNumber(url)).toBe(1);
      expect(scene.forge().findNumber(url.replace("/team/shop/", "/team/other/"))).toBeNull();
      expect(await git(scene.loopback.bareDir, "rev-parse", scene.forge().headRef(1))).toBe(commit);
    });

    test("returns an open one with head commit, labels, comments in order, and no CI yet", async () => {
      await scene.restart({ maxPerPage: 2 });
      const commit = await scene.makeBranch("night-shift/faster");
      await scene.forge().publish(scene.draft());
      const { comment } = scene.loopback;
      comment(1, { body: "first", author: "bob" });
      comment(1, { body: "rename this", file: "src/a.ts", line: 12 });
      comment(1, { body: "changed the title", kind: "system" });
      comment(1, { body: "please fix the tests", kind: scene.setup.kind === "github" ? "review" : "comment" });
      for (const n of [1, 2, 3, 4]) comment(1, { body: `more ${n}` });
      const state = await scene.forge().read(1);
      expect(state).toMatchObject({
        number: 1,
        state: "open",
        headCommit: commit,
        mergeCommit: null,
        hasConflict: false,
        labels: ["night-shift", "performance"],
        ci: "none",
      });
      expect(state.comments.map(({ body }) => body)).toEqual([
        "first",
        "rename this",
        "please fix the tests",
        "more 1",
        "more 2",
        "more 3",
        "more 4",
      ]);
      expect(state.comments[0]).toMatchObject({ author: "bob", file: null, line: null, at: Date.UTC(2026, 0, 2) });
      expect(state.comments[1]).toMatchObject({ author: "alice", file: "src/a.ts", line: 12 });
      expect(new Set(state.comments.map(({ id }) => id)).size).toBe(7);
    });

    test("returns the CI result of the newest commit only", async () => {
      await scene.makeBranch("night-shift/faster");
      const forge = scene.forge();
      await forge.publish(scene.draft());
      for (const state of ["running", "failed", "passed"] as const) {
        scene.loopback.ci(1, state);
        expect((await forge.read(1)).ci).toBe(state);
      }
      const headCommit = await scene.makeBranch("night-shift/faster");
      expect(await forge.read(1)).toMatchObject({ ci: "none", headCommit });
    });

    test("says which comments request changes and which are by programs", async () => {
      await scene.makeBranch("night-shift/faster");
      const forge = scene.forge();
      await forge.publish(scene.draft());
      const kind = scene.setup.kind === "github" ? "review" : "comment";
      scene.loopback.comment(1, { body: "looks good", author: "bob" });
      scene.loopback.comment(1, { body: "rename it", author: "alice", kind, requestsChanges: true });
      const bot = scene.setup.kind === "github" ? "ci[bot]" : "project_4711_bot_1";
      scene.loopback.comment(1, { body: "coverage: 80%", author: bot });
      const { comments } = await forge.read(1);
      expect(comments.map(({ requestsChanges }) => requestsChanges)).toEqual([false, true, false]);
      expect(comments.map(({ isBot }) => isBot)).toEqual([false, false, true]);
    });

    test("hasWriteAccess is true for members only", async () => {
      const forge = scene.forge();
      expect(await forge.hasWriteAccess("alice")).toBe(true);
      expect(await forge.hasWriteAccess("mallory")).toBe(false);
      expect(await forge.hasWriteAccess("ali")).toBe(false);
    });

    test("readCiFailures returns the failed checks with their logs, which are read without the token", async () => {
      await scene.makeBranch("night-shift/faster");
      const forge = scene.forge();
      await forge.publish(scene.draft());
      scene.loopback.ci(1, "failed", "expected 1, got 2");
      const failures = await forge.readCiFailures(1);
      expect(failures).toMatchObject([{ name: "build", log: "expected 1, got 2" }]);
      if (scene.setup.kind === "github") expect(failures[0]?.summary).toContain("a.txt:3: is wrong");
      const logs = scene.loopback.requests.filter(({ path }) => path === "/logs");
      expect(logs.map(({ headers }) => headers.authorization)).toEqual(
        scene.setup.kind === "github" ? [undefined] : [],
      );
    });

    test("asks only for what changed since the last time", async () => {
      await scene.makeBranch("night-shift/faster");
      const forge = scene.forge();
      await forge.publish(scene.draft());
      const first = await forge.read(1);
      const before = scene.apiRequests().length;
      expect(await forge.read(1)).toEqual(first);
      expect(
        scene
          .apiRequests()
          .slice(before)
          .map(({ status }) => status),
      ).toEqual(
        scene
          .apiRequests()
          .slice(before)
          .map(() => 304),
      );
      scene.loopback.comment(1, { body: "new" });
      expect((await forge.read(1)).comments).toHaveLength(1);
    });

    test("returns a conflict, a merge and a close", async () => {
      const forge = scene.forge();
      const repo = scene.repo();
      await scene.makeBranch("night-shift/faster");
      await forge.publish(scene.draft());
      const mergeCommit = await scene.loopback.merge(1);
      expect(await forge.read(1)).toMatchObject({ state: "merged", mergeCommit });
      await repo.git("checkout", "--quiet", "-B", "clash", "main");
      await repo.commit({ "README.md": "theirs\n" });
      await repo.git("checkout", "--quiet", "main");
      await repo.git("pull", "--quiet", "--ff-only", "origin", "main");
      await repo.commit({ "README.md": "ours\n" });
      await forge.publish(scene.draft({ branch: "clash" }));
      expect(await forge.read(2)).toMatchObject({ state: "open", hasConflict: true, mergeCommit: null });
      scene.loopback.closeRequest(2);
      expect(await forge.read(2)).toMatchObject({ state: "closed", mergeCommit: null });
    });

    test("rejects an unknown one", async () => {
      expect(await forgeError(scene.forge().read(99))).toMatchObject({ trouble: "missing", kind: "not_found" });
    });
  });
}
