import { beforeEach, describe, expect, test } from "vitest";
import { MERGE_METHODS } from "../../../core/forge/merge.ts";
import { forgeError } from "../../forges/forge-scene.ts";
import type { ForgeScene } from "../../forges/forge-scene.ts";
import type { LoopbackForge } from "../../forges/loopback-forge.ts";
import { git } from "../../temp-repo.ts";

const BRANCH = "night-shift/faster";

/** Contract tests of merging and closing. */
export function testForgeMerging(scene: ForgeScene): void {
  const requests = (): LoopbackForge["changeRequests"] => scene.loopback.changeRequests;
  const heads = () =>
    git(scene.loopback.bareDir, "for-each-ref", "--format=%(refname:short)", "refs/heads/night-shift");
  const parentsOf = async (commit: string | null) =>
    (await git(scene.loopback.bareDir, "log", "-1", "--format=%P", commit ?? "")).split(" ").length;
  const writes = (path: RegExp) =>
    scene.apiRequests().filter(({ method, path: at, status }) => method !== "GET" && path.test(at) && status !== 405);

  const requireCi = (state: "failed" | "running"): void => {
    scene.loopback.mergeRules.needsCi = true;
    scene.loopback.ci(1, state);
  };

  /** Publishes a branch and returns its commit. */
  async function publish(): Promise<string> {
    scene.repo();
    const commit = await scene.makeBranch(BRANCH);
    await scene.forge().publish(scene.draft({ commit }));
    return commit;
  }

  describe("merge", () => {
    let commit: string;
    beforeEach(async () => {
      commit = await publish();
    });

    test("merges into the target, prefers squash and deletes the branch", async () => {
      const { mergeCommit, warnings } = await scene.forge().merge(1, { commit, method: null });
      expect(warnings).toEqual([]);
      expect(requests()).toMatchObject([{ state: "merged", mergeCommit }]);
      expect(await git(scene.loopback.bareDir, "rev-parse", "main")).toBe(mergeCommit);
      expect(await parentsOf(mergeCommit)).toBe(1);
      expect(await heads()).toBe("");
    });

    test.each(MERGE_METHODS)("a project that only allows %s gets that method without asking for it", async (method) => {
      scene.loopback.mergeRules.methods = [method];
      const { mergeCommit } = await scene.forge().merge(1, { commit, method: null });
      expect(await parentsOf(mergeCommit)).toBe(method === "merge" ? 2 : 1);
    });

    test("a method that the project does not allow is refused, with the allowed ones", async () => {
      scene.loopback.mergeRules.methods = ["squash"];
      const error = await forgeError(scene.forge().merge(1, { commit, method: "rebase" }));
      expect(error).toMatchObject({ trouble: "refused", obstacle: "method", hint: "Allowed: squash." });
      expect(error.message).toContain('does not allow the merge method "rebase"');
      expect(requests()).toMatchObject([{ state: "open" }]);
    });

    test("a head that moved is refused, and nothing is merged", async () => {
      await scene.makeBranch(BRANCH);
      const error = await forgeError(scene.forge().merge(1, { commit, method: null }));
      expect(error).toMatchObject({ obstacle: "head_moved", kind: "conflict" });
      expect(requests()).toMatchObject([{ state: "open" }]);
      expect(await heads()).toBe(BRANCH);
    });

    test("a second call after a crash is a success and merges nothing twice", async () => {
      const first = await scene.forge().merge(1, { commit, method: "merge", comment: "not reviewed" });
      const again = await scene.forge().merge(1, { commit, method: "merge", comment: "not reviewed" });
      expect(again).toEqual(first);
      expect(writes(/\/merge$/)).toHaveLength(1);
      expect(requests()[0]?.comments).toMatchObject([{ body: "not reviewed" }]);
    });

    test("a lost response is a success if the forge merged it", async () => {
      scene.loopback.fail({ method: "PUT", path: /\/merge$/, drop: true, afterDoing: true });
      expect(await scene.forge().merge(1, { commit, method: null })).toMatchObject({ warnings: [] });
      expect(writes(/\/merge$/)).toHaveLength(1);
    });

    test("one that was merged with another head is refused", async () => {
      await scene.makeBranch(BRANCH);
      await scene.loopback.merge(1);
      const error = await forgeError(scene.forge().merge(1, { commit, method: null }));
      expect(error).toMatchObject({ obstacle: "head_moved" });
      expect(error.message).toContain("it was merged with");
      expect(await heads()).toBe(BRANCH);
    });

    test("a branch with new commits is not deleted after the merge", async () => {
      await scene.loopback.merge(1);
      await scene.makeBranch(BRANCH);
      await scene.forge().merge(1, { commit, method: null });
      expect(await heads()).toBe(BRANCH);
    });

    test("a branch that cannot be deleted is a warning", async () => {
      await scene.loopback.merge(1);
      scene.loopback.fail({ method: "DELETE", status: 403, body: { message: "protected" } });
      const { warnings } = await scene.forge().merge(1, { commit, method: null });
      expect(warnings).toEqual([expect.stringMatching(/^The branch was not deleted\. .*protected/)]);
    });

    test.each([
      ["ci_failed", (): void => requireCi("failed")],
      ["ci_running", (): void => requireCi("running")],
      ["reviews", (): void => void (scene.loopback.mergeRules.needsReview = true)],
      ["draft", (): void => void Object.assign(requests()[0] ?? {}, { draft: true })],
      ["closed", (): void => scene.loopback.closeRequest(1)],
    ] as const)("says that the obstacle is %s", async (obstacle, prepare) => {
      prepare();
      const error = await forgeError(scene.forge().merge(1, { commit, method: null }));
      expect(error).toMatchObject({ trouble: "refused", obstacle, hint: expect.stringMatching(/\.$/) });
      expect(error.message).toMatch(/^(Pull|Merge) request [#!]1 at .* cannot be merged: /);
      expect(requests()[0]?.state).not.toBe("merged");
    });

    test("says that the obstacle is a conflict", async () => {
      const repo = scene.repo();
      await repo.git("checkout", "--quiet", "-B", "clash", "main");
      const clash = await repo.commit({ "README.md": "theirs\n" });
      await repo.git("checkout", "--quiet", "main");
      await repo.commit({ "README.md": "ours\n" });
      await repo.git("push", "--quiet", "--force", "origin", "main");
      await scene.forge().publish(scene.draft({ branch: "clash", commit: clash }));
      expect(await forgeError(scene.forge().merge(2, { commit: clash, method: null }))).toMatchObject({
        obstacle: "conflict",
      });
    });
  });

  describe("close", () => {
    test("closes with a comment, and a second call posts no second comment", async () => {
      await publish();
      expect(await scene.forge().close(1, "Rejected: too risky.\n/close")).toBe("closed");
      expect(await scene.forge().close(1, "Rejected: too risky.\n/close")).toBe("closed");
      expect(requests()).toMatchObject([{ state: "closed" }]);
      expect(requests()[0]?.comments).toHaveLength(1);
      expect(await heads()).toBe(BRANCH);
    });

    test("continues after a crash between the comment and the closing", async () => {
      await publish();
      scene.loopback.fail({ method: scene.setup.kind === "github" ? "PATCH" : "PUT", status: 400 });
      await expect(scene.forge().close(1, "No.")).rejects.toThrow(/status 400/);
      expect(requests()).toMatchObject([{ state: "open" }]);
      await scene.forge().close(1, "No.");
      expect(requests()).toMatchObject([{ state: "closed", comments: [{ body: "No." }] }]);
    });

    test("leaves a merged one alone", async () => {
      await publish();
      await scene.loopback.merge(1);
      expect(await scene.forge().close(1, "No.")).toBe("merged");
      expect(requests()[0]?.comments).toEqual([]);
    });

    test("rejects an unknown one", async () => {
      expect(await forgeError(scene.forge().close(99, "No."))).toMatchObject({ trouble: "missing" });
    });
  });
}
