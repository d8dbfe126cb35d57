import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { testForgeCheck } from "./forge-check.suite.ts";
import { testForgeFaults } from "./forge-faults.suite.ts";
import { testForgeMerging } from "./forge-merging.suite.ts";
import { testForgeReview } from "./forge-review.suite.ts";
import { testForgeReading } from "./forge-reading.suite.ts";
import { TOKEN, createForgeScene, forgeError } from "../../forges/forge-scene.ts";
import type { ForgeScene, ForgeSetup } from "../../forges/forge-scene.ts";
import { git } from "../../temp-repo.ts";

/** Contract tests of src/ports/forge.ts. */
export function testForge(adapter: string, setup: ForgeSetup): void {
  describe(`forge ${adapter}`, { timeout: 120_000 }, () => {
    const scene = createForgeScene(setup);
    beforeEach(() => scene.restart({}));
    afterEach(async () => {
      const problems = await setup.checkRequests(scene.loopback.requests);
      const sent = JSON.stringify(scene.loopback.requests.map(({ path, query }) => ({ path, query })));
      expect(problems).toEqual([]);
      expect(sent).not.toContain(TOKEN);
    });
    afterAll(() => scene.loopback.close());

    testPublish(scene);
    testForgeReading(scene);
    testForgeMerging(scene);
    testForgeReview(scene);
    testForgeCheck(scene);
    testForgeFaults(scene);
  });
}

function testPublish(scene: ForgeScene): void {
  describe("publish", () => {
    test("opens a change request with all fields of the draft, and reads it back", async () => {
      await scene.pushBranch("night-shift/faster");
      const published = await scene.forge().publish(scene.draft({ reviewer: "alice", assignee: "bob", draft: true }));
      const [changeRequest] = scene.loopback.changeRequests;
      expect(changeRequest).toMatchObject({
        branch: "night-shift/faster",
        target: "main",
        body: "## Summary\n\nParses once.",
        labels: ["night-shift", "performance"],
        reviewers: ["alice"],
        assignees: ["bob"],
        draft: true,
      });
      expect(published).toEqual({
        number: 1,
        url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/team\/shop\/.*1$/),
        title: changeRequest?.title,
        branch: "night-shift/faster",
        isNew: true,
        state: "open",
        warnings: [],
      });
      expect(published.title).toContain("[night-shift/performance] Parse once");
      const last = scene.apiRequests().at(-1);
      expect(last).toMatchObject({ method: "GET", path: expect.stringMatching(/\/1$/), status: 200 });
    });

    test("updates the branch's open one, and keeps what people added", async () => {
      await scene.makeBranch("night-shift/faster");
      const forge = scene.forge();
      await forge.publish(scene.draft({ labels: ["night-shift"], reviewer: "alice" }));
      const [changeRequest] = scene.loopback.changeRequests;
      changeRequest?.labels.push("by-a-person");
      if (scene.setup.kind === "gitlab") changeRequest?.reviewers.push("bob");
      const again = await forge.publish(scene.draft({ title: "Better title", body: "Better text", reviewer: "alice" }));
      expect(again).toMatchObject({ number: 1, isNew: false, title: "Better title", warnings: [] });
      expect(scene.loopback.changeRequests).toHaveLength(1);
      expect(changeRequest).toMatchObject({
        body: "Better text",
        labels: ["night-shift", "by-a-person", "performance"],
      });
      expect(changeRequest?.reviewers).toContain("alice");
      if (scene.setup.kind === "gitlab") expect(changeRequest?.reviewers).toContain("bob");
    });

    test("changes the target of the open one instead of opening a second", async () => {
      await scene.makeBranch("night-shift/faster");
      await scene.makeBranch("trunk");
      await scene.forge().publish(scene.draft());
      expect(await scene.forge().publish(scene.draft({ target: "trunk" }))).toMatchObject({ number: 1, isNew: false });
      expect(scene.loopback.changeRequests).toMatchObject([{ target: "trunk" }]);
    });

    test("does not change whether an open one is a draft", async () => {
      await scene.makeBranch("night-shift/faster");
      const forge = scene.forge();
      await forge.publish(scene.draft({ draft: false }));
      await forge.publish(scene.draft({ draft: true }));
      expect(scene.loopback.changeRequests[0]?.draft).toBe(false);
    });

    test("opens a new one if the branch's last one was closed and has a new commit", async () => {
      const first = await scene.makeBranch("night-shift/faster");
      await scene.forge().publish(scene.draft({ commit: first }));
      scene.loopback.closeRequest(1);
      const commit = await scene.makeBranch("night-shift/faster");
      expect(await scene.forge().publish(scene.draft({ commit }))).toMatchObject({ number: 2, isNew: true });
    });

    test.each(["merged", "closed"] as const)(
      "returns one of this commit unchanged if it was %s meanwhile",
      async (state) => {
        scene.repo();
        const commit = await scene.makeBranch("night-shift/faster");
        await scene.forge().publish(scene.draft({ commit }));
        if (state === "merged") await scene.loopback.merge(1);
        else scene.loopback.closeRequest(1);
        const opened: number[] = [];
        const again = await scene
          .forge()
          .publish(scene.draft({ commit, title: "Other" }), async ({ number }) => void opened.push(number));
        expect(again).toMatchObject({ number: 1, isNew: false, state, warnings: [`It was already ${state}.`] });
        expect(again.title).not.toContain("Other");
        expect(opened).toEqual([1]);
        expect(scene.loopback.changeRequests).toHaveLength(1);
      },
    );

    test("find returns what publish would use, and changes nothing", async () => {
      const commit = await scene.makeBranch("night-shift/faster");
      const pushed = { branch: "night-shift/faster", commit };
      expect(await scene.forge().find(pushed)).toBeNull();
      const { number, url, title, branch } = await scene.forge().publish(scene.draft({ commit }));
      const open = { number, url, title, branch, state: "open", alsoOpen: [] };
      expect(await scene.forge().find(pushed)).toEqual(open);
      expect(await scene.forge().find({ ...pushed, commit: "0".repeat(40) })).toEqual(open);
      scene.loopback.closeRequest(number);
      expect(await scene.forge().find(pushed)).toEqual({ ...open, state: "closed" });
      expect(await scene.forge().find({ ...pushed, commit: "0".repeat(40) })).toBeNull();
      expect(scene.loopback.changeRequests).toHaveLength(1);
    });

    test("find lists the other open ones of the branch, and no closed ones", async () => {
      const commit = await scene.makeBranch("night-shift/faster");
      const pushed = { branch: "night-shift/faster", commit };
      await scene.makeBranch("elsewhere");
      const first = await scene.forge().publish(scene.draft({ commit }));
      const { number } = await scene.loopback.openRequest({ branch: pushed.branch, target: "elsewhere" });
      const found = await scene.forge().find(pushed);
      const urls = [found?.url, ...(found?.alsoOpen ?? [])];
      expect(urls).toHaveLength(2);
      expect(urls).toContain(first.url);
      scene.loopback.closeRequest(number);
      expect(await scene.forge().find(pushed)).toMatchObject({ number: first.number, alsoOpen: [] });
    });

    test("issueCredentials gives git the remote and the login for the forge's host only, and fails without a token", async () => {
      await scene.makeBranch("main-only");
      const { env, secrets, network, openCommand } = scene.forge().issueCredentials();
      const asAgent = (...args: string[]) =>
        promisify(execFile)("git", args, {
          // Outside any repository, so that no other remote with this name is used.
          cwd: tmpdir(),
          env: { PATH: process.env["PATH"] ?? "", HOME: "/dev/null", ...env, ...secrets },
        });
      expect((await asAgent("ls-remote", "origin", "refs/heads/main-only")).stdout).toContain("refs/heads/main-only");
      const elsewhere = scene.loopback.remoteUrl.replace("127.0.0.1", "localhost");
      await expect(asAgent("ls-remote", elsewhere)).rejects.toThrow(/could not read Username|Authentication failed/);
      expect(JSON.stringify(env)).not.toContain(TOKEN);
      expect(Object.values(secrets)).toEqual([TOKEN]);
      expect(network).toEqual([new URL(scene.loopback.url).host]);
      const command = openCommand({ branch: "b", target: "main", title: "it's" });
      expect(command).toMatch(/^(glab mr|gh pr) create .*\bb\b.*\bmain\b.* 'it'\\''s'/);
      expect(() => scene.forge({ token: "" }).issueCredentials()).toThrow(/There is no token/);
    });

    test("reports what is open before any further request, and rejects if the listener throws", async () => {
      await scene.makeBranch("night-shift/faster");
      const before = async (opened: object): Promise<never> => {
        expect(opened).toMatchObject({ number: 1, branch: "night-shift/faster", url: expect.stringMatching(/1$/) });
        expect(scene.apiRequests().at(-1)).toMatchObject({ method: "POST", status: 201 });
        throw new Error("not now");
      };
      await expect(scene.forge().publish(scene.draft(), before)).rejects.toThrow("not now");
      expect(scene.loopback.changeRequests).toHaveLength(1);
    });

    test("works for a branch that was pushed through a path", async () => {
      const { bareDir, project } = scene.loopback;
      const repo = scene.repo();
      await repo.git("checkout", "--quiet", "-B", "night-shift/faster");
      await repo.git("commit", "--quiet", "--allow-empty", "-m", "change");
      await git(repo.checkout, "push", "--quiet", "--force", bareDir, "night-shift/faster");
      const forge = scene.forge({ remote: bareDir, settings: { project } });
      expect(await forge.publish(scene.draft())).toMatchObject({ number: 1, isNew: true });
      expect(forge.credentialsFor(bareDir)).toBeNull();
    });

    test("unknown users are a warning", async () => {
      await scene.makeBranch("night-shift/faster");
      const published = await scene.forge().publish(scene.draft({ reviewer: "nobody-1", assignee: "nobody-2" }));
      expect(published.isNew).toBe(true);
      expect(published.warnings).toHaveLength(2);
      expect(published.warnings[0]).toContain("nobody-1 was not added as reviewer");
      expect(published.warnings[1]).toContain("nobody-2 was not assigned");
      expect(scene.loopback.changeRequests).toMatchObject([{ labels: ["night-shift", "performance"] }]);
    });

    test("rejects a missing branch and a missing target", async () => {
      const missing = await forgeError(scene.forge().publish(scene.draft({ branch: "not-pushed" })));
      expect(missing).toMatchObject({ trouble: "refused", kind: "conflict" });
      expect(missing.message).toMatch(/not-pushed|source_branch does not exist/);
      await scene.makeBranch("night-shift/faster");
      const target = await forgeError(scene.forge().publish(scene.draft({ target: "not-there" })));
      expect(target.trouble).toBe("refused");
      expect(scene.loopback.changeRequests).toEqual([]);
    });

    test("shortens texts that are too long or have several lines", async () => {
      await scene.makeBranch("night-shift/faster");
      const long = { title: `One\n${"word ".repeat(100)}`, body: "x".repeat(200_000) };
      const { title } = await scene.forge().publish(scene.draft(long));
      expect(title).toMatch(/^One word .*…$/);
      expect(scene.loopback.changeRequests[0]?.body).toMatch(/x\n\n… \(the rest did not fit\)$/);
    });

    test("works below a path prefix, with subgroups, and under a project's former name", async () => {
      const project = scene.setup.kind === "gitlab" ? "team/sub/shop" : "team/shop";
      await scene.restart({ prefix: "/tools/forge", project, formerProject: "team/old-shop" });
      expect(scene.forge().repository).toMatch(new RegExp(`^127.0.0.1:\\d+/tools/forge/${project}$`));
      await scene.makeBranch("night-shift/faster");
      await scene.makeBranch("night-shift/other");
      expect(await scene.forge().publish(scene.draft())).toMatchObject({ number: 1 });
      const renamed = scene.forge({ settings: { project: "team/old-shop" } });
      expect(await renamed.publish(scene.draft())).toMatchObject({ number: 1, isNew: false });
      expect(await renamed.publish(scene.draft({ branch: "night-shift/other" }))).toMatchObject({
        number: 2,
        isNew: true,
      });
    });
  });
}
