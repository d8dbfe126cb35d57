import { inspect } from "node:util";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { ForgeError } from "../core/errors.ts";
import type { ForgeSettings } from "../core/settings.ts";
import type { ChangeRequestDraft, Forge } from "../ports/forge.ts";
import { testForgeFaults } from "./forge-faults.suite.ts";
import { openLoopbackForge } from "./forges/loopback-forge.ts";
import type { LoopbackForge, LoopbackParams, LoopbackRequest } from "./forges/loopback-forge.ts";
import { git } from "./temp-repo.ts";
import type { TempRepo } from "./temp-repo.ts";

export interface ForgeSetup {
  readonly kind: "github" | "gitlab";
  create(params: {
    settings: ForgeSettings;
    remote: string;
    token: string | null;
    fetch?: typeof globalThis.fetch;
    pause?: (ms: number) => Promise<void>;
  }): Forge;
  /** What the forge's own documents have against these requests. */
  checkRequests(requests: readonly LoopbackRequest[]): Promise<readonly string[]>;
}

export const TOKEN = "test-token-0123456789abcdef";

/** A scene: a loopback forge, the adapter on it, and what each test needs. */
export interface ForgeScene {
  readonly setup: ForgeSetup;
  readonly loopback: LoopbackForge;
  readonly waits: number[];
  restart(params: Partial<LoopbackParams>): Promise<void>;
  /** For tests that change the repository. */
  repo(): TempRepo;
  forge(params?: {
    token?: string | null;
    fetch?: typeof fetch;
    settings?: Partial<ForgeSettings>;
    remote?: string;
  }): Forge;
  /** A new branch with a change of its own, pushed with the forge's credentials over http. */
  pushBranch(branch: string): Promise<string>;
  draft(changes?: Partial<ChangeRequestDraft>): ChangeRequestDraft;
  apiRequests(): readonly LoopbackRequest[];
}

/** Defines the port: every sentence of src/ports/forge.ts that can be checked from outside. */
export function testForge(adapter: string, setup: ForgeSetup): void {
  describe(`the forge ${adapter}`, { timeout: 120_000 }, () => {
    const scene = createScene(setup);
    beforeEach(() => scene.restart({}));
    afterEach(async () => {
      const problems = await setup.checkRequests(scene.loopback.requests);
      const sent = JSON.stringify(scene.loopback.requests.map(({ path, query }) => ({ path, query })));
      expect(problems).toEqual([]);
      expect(sent).not.toContain(TOKEN);
    });
    afterAll(() => scene.loopback.close());

    testPublish(scene);
    testReading(scene);
    testCheck(scene);
    testForgeFaults(scene);
  });
}

function createScene(setup: ForgeSetup): ForgeScene {
  let loopback: LoopbackForge | undefined;
  let isAsMade = false;
  const scene: ForgeScene = {
    setup,
    get loopback() {
      if (loopback === undefined) throw new Error("The scene has not begun.");
      return loopback;
    },
    waits: [],
    async restart(params) {
      scene.waits.length = 0;
      // A new repository takes longer than most of these tests.
      if (isAsMade && Object.keys(params).length === 0) return loopback?.forget();
      await loopback?.close();
      loopback = await openLoopbackForge({ kind: setup.kind, token: TOKEN, ...params });
      isAsMade = Object.keys(params).length === 0;
    },
    repo() {
      isAsMade = false;
      return scene.loopback.repo;
    },
    forge({ token = TOKEN, settings = {}, remote, ...rest } = {}) {
      return setup.create({
        settings: {
          kind: setup.kind,
          url: scene.loopback.url,
          project: null,
          tokenEnv: "FORGE_TOKEN",
          reviewer: null,
          assignee: null,
          labels: [],
          draft: false,
          ...settings,
        },
        remote: remote ?? scene.loopback.remoteUrl,
        token,
        pause: async (ms) => void scene.waits.push(ms),
        ...rest,
      });
    },
    async pushBranch(branch) {
      const { remoteUrl } = scene.loopback;
      const repo = scene.repo();
      await repo.git("checkout", "--quiet", "-B", branch, "main");
      await repo.git("commit", "--quiet", "--allow-empty", "-m", branch);
      const { username, password } = scene.forge().credentialsFor(remoteUrl) ?? { username: "", password: "" };
      await repo.git("push", "--quiet", remoteUrl.replace("://", `://${username}:${password}@`), branch);
      return await repo.git("rev-parse", "HEAD");
    },
    draft: (changes = {}) => ({
      branch: "night-shift/faster",
      target: "main",
      title: "[night-shift/performance] Parse once",
      body: "## Summary\n\nParses once.",
      labels: ["night-shift", "performance"],
      reviewer: null,
      assignee: null,
      draft: false,
      ...changes,
    }),
    apiRequests: () => scene.loopback.requests.filter(({ of }) => of === "api"),
  };
  return scene;
}

/** Rejects with a ForgeError in which, however deep one looks, the token is not. */
export async function forgeError(work: Promise<unknown>): Promise<ForgeError> {
  const error = await work.then(
    () => new Error("it did not reject"),
    (reason: unknown) => reason,
  );
  expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(TOKEN);
  if (!(error instanceof ForgeError)) throw error;
  expect(error.message).toMatch(/^[A-Z0-9].*\.$|It said: /s);
  return error;
}

function testPublish(scene: ForgeScene): void {
  describe("publish", () => {
    test("opens a change request with all that was asked for, and reads it back", async () => {
      await scene.pushBranch("night-shift/faster");
      const published = await scene.forge().publish(scene.draft({ reviewer: "alice", assignee: "bob", draft: true }));
      const [held] = scene.loopback.changeRequests;
      expect(held).toMatchObject({
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
        title: held?.title,
        branch: "night-shift/faster",
        isNew: true,
        warnings: [],
      });
      expect(published.title).toContain("[night-shift/performance] Parse once");
      const last = scene.apiRequests().at(-1);
      expect(last).toMatchObject({ method: "GET", path: expect.stringMatching(/\/1$/), status: 200 });
    });

    test("takes the open one of the branch, brings it up to date, and leaves what people added", async () => {
      await scene.pushBranch("night-shift/faster");
      const forge = scene.forge();
      await forge.publish(scene.draft({ labels: ["night-shift"], reviewer: "alice" }));
      const [held] = scene.loopback.changeRequests;
      held?.labels.push("by-a-person");
      if (scene.setup.kind === "gitlab") held?.reviewers.push("bob");
      const again = await forge.publish(scene.draft({ title: "Better title", body: "Better text", reviewer: "alice" }));
      expect(again).toMatchObject({ number: 1, isNew: false, title: "Better title", warnings: [] });
      expect(scene.loopback.changeRequests).toHaveLength(1);
      expect(held).toMatchObject({ body: "Better text", labels: ["night-shift", "by-a-person", "performance"] });
      expect(held?.reviewers).toContain("alice");
      if (scene.setup.kind === "gitlab") expect(held?.reviewers).toContain("bob");
    });

    test("turns the open one to another target instead of opening a second", async () => {
      await scene.pushBranch("night-shift/faster");
      await scene.repo().git("push", "--quiet", "origin", "main:trunk");
      await scene.forge().publish(scene.draft());
      expect(await scene.forge().publish(scene.draft({ target: "trunk" }))).toMatchObject({ number: 1, isNew: false });
      expect(scene.loopback.changeRequests).toMatchObject([{ target: "trunk" }]);
    });

    test("leaves it to people whether an open one is a draft", async () => {
      await scene.pushBranch("night-shift/faster");
      const forge = scene.forge();
      await forge.publish(scene.draft({ draft: false }));
      await forge.publish(scene.draft({ draft: true }));
      expect(scene.loopback.changeRequests[0]?.draft).toBe(false);
    });

    test("opens a new one where the branch's last one was closed", async () => {
      await scene.pushBranch("night-shift/faster");
      await scene.forge().publish(scene.draft());
      scene.loopback.closeRequest(1);
      expect(await scene.forge().publish(scene.draft())).toMatchObject({ number: 2, isNew: true });
    });

    test("works for a branch that was pushed by a path", async () => {
      const { bareDir, project } = scene.loopback;
      const repo = scene.repo();
      await repo.git("checkout", "--quiet", "-B", "night-shift/faster");
      await repo.git("commit", "--quiet", "--allow-empty", "-m", "change");
      await git(repo.checkout, "push", "--quiet", bareDir, "night-shift/faster");
      const forge = scene.forge({ remote: bareDir, settings: { project } });
      expect(await forge.publish(scene.draft())).toMatchObject({ number: 1, isNew: true });
      expect(forge.credentialsFor(bareDir)).toBeNull();
    });

    test("people whom the forge does not know are a warning", async () => {
      await scene.pushBranch("night-shift/faster");
      const published = await scene.forge().publish(scene.draft({ reviewer: "nobody-1", assignee: "nobody-2" }));
      expect(published.isNew).toBe(true);
      expect(published.warnings).toHaveLength(2);
      expect(published.warnings[0]).toContain("nobody-1 was not asked to review");
      expect(published.warnings[1]).toContain("nobody-2 was not assigned");
      expect(scene.loopback.changeRequests).toMatchObject([{ labels: ["night-shift", "performance"] }]);
    });

    test("a branch that is not there, and a target that is not", async () => {
      const missing = await forgeError(scene.forge().publish(scene.draft({ branch: "not-pushed" })));
      expect(missing).toMatchObject({ trouble: "refused", kind: "conflict" });
      expect(missing.message).toMatch(/not-pushed|source_branch does not exist/);
      await scene.pushBranch("night-shift/faster");
      const target = await forgeError(scene.forge().publish(scene.draft({ target: "trunk" })));
      expect(target.trouble).toBe("refused");
      expect(scene.loopback.changeRequests).toEqual([]);
    });

    test("texts that are too long or of several lines are cut to what forges take", async () => {
      await scene.pushBranch("night-shift/faster");
      const long = { title: `One\n${"word ".repeat(100)}`, body: "x".repeat(200_000) };
      const { title } = await scene.forge().publish(scene.draft(long));
      expect(title).toMatch(/^One word .*…$/);
      expect(scene.loopback.changeRequests[0]?.body).toMatch(/x\n\n… \(the rest did not fit\)$/);
    });

    test("works below a path, with subgroups where there are such, and under the name a project had once", async () => {
      const project = scene.setup.kind === "gitlab" ? "team/sub/shop" : "team/shop";
      await scene.restart({ prefix: "/tools/forge", project, formerProject: "team/old-shop" });
      expect(scene.forge().place).toMatch(new RegExp(`^127.0.0.1:\\d+/tools/forge/${project}$`));
      await scene.pushBranch("night-shift/faster");
      await scene.pushBranch("night-shift/other");
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

function testReading(scene: ForgeScene): void {
  describe("listOpen", () => {
    test("gives the open ones of a label over all pages, newest first", async () => {
      await scene.restart({ mostPerPage: 2 });
      for (let n = 1; n <= 7; n++) {
        const held = await scene.loopback.openRequest({ branch: `b${n}` });
        held.labels.push(n === 3 ? "other" : "night-shift");
      }
      scene.loopback.closeRequest(5);
      const open = await scene.forge().listOpen("night-shift");
      expect(open.map(({ number }) => number)).toEqual([7, 6, 4, 2, 1]);
      expect(open[0]).toEqual({ number: 7, title: "b7", branch: "b7", url: expect.stringContaining("/team/shop/") });
      expect(await scene.forge().listOpen("none-has-it")).toEqual([]);
    });
  });

  describe("read", () => {
    test("an open one: head commit, labels, comments in order, nothing run yet", async () => {
      await scene.restart({ mostPerPage: 2 });
      const commit = await scene.pushBranch("night-shift/faster");
      await scene.forge().publish(scene.draft());
      const { comment } = scene.loopback;
      comment(1, { body: "first", author: "bob" });
      comment(1, { body: "rename this", file: "src/a.ts", line: 12 });
      comment(1, { body: "changed the title", kind: "system" });
      comment(1, { body: "please mind the tests", kind: scene.setup.kind === "github" ? "review" : "comment" });
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
        "please mind the tests",
        "more 1",
        "more 2",
        "more 3",
        "more 4",
      ]);
      expect(state.comments[0]).toMatchObject({ author: "bob", file: null, line: null, at: Date.UTC(2026, 0, 2) });
      expect(state.comments[1]).toMatchObject({ author: "alice", file: "src/a.ts", line: 12 });
      expect(new Set(state.comments.map(({ id }) => id)).size).toBe(7);
    });

    test("what CI came to, for the newest commit alone", async () => {
      await scene.pushBranch("night-shift/faster");
      const forge = scene.forge();
      await forge.publish(scene.draft());
      for (const state of ["running", "failed", "passed"] as const) {
        scene.loopback.ci(1, state);
        expect((await forge.read(1)).ci).toBe(state);
      }
      const { remoteUrl } = scene.loopback;
      const repo = scene.repo();
      await repo.git("commit", "--quiet", "--allow-empty", "-m", "more");
      await repo.git("push", "--quiet", remoteUrl.replace("://", `://x:${TOKEN}@`), "HEAD");
      expect(await forge.read(1)).toMatchObject({ ci: "none", headCommit: await repo.git("rev-parse", "HEAD") });
    });

    test("a conflict, a merge and a closing", async () => {
      const forge = scene.forge();
      const repo = scene.repo();
      await scene.pushBranch("night-shift/faster");
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

    test("one that is not there", async () => {
      expect(await forgeError(scene.forge().read(99))).toMatchObject({ trouble: "missing", kind: "not_found" });
    });
  });
}

function testCheck(scene: ForgeScene): void {
  describe("check", () => {
    const check = (token: string | null = TOKEN, settings: Partial<ForgeSettings> = {}) =>
      scene.forge({ token, settings }).check();

    test("says nothing where all is well", async () => {
      expect(await check(TOKEN, { reviewer: "alice", assignee: "bob" })).toEqual([]);
    });

    test("a token that is missing, wrong, or no token at all", async () => {
      expect(await check(null)).toEqual([expect.stringMatching(/no token .*FORGE_TOKEN is not set.*Make one with/)]);
      expect(await check("  ")).toEqual([expect.stringContaining("FORGE_TOKEN is not set")]);
      expect(await check("an-expired-token")).toEqual([
        expect.stringMatching(/refused the token.*expired.*Make a new one/),
      ]);
      const [said = ""] = await check("two\nlines-of-a-file");
      expect(said).toContain("is no token");
      expect(said).not.toContain("lines-of-a-file");
      expect(scene.forge({ token: null }).credentialsFor(scene.loopback.remoteUrl)).toBeNull();
    });

    test("a token that lacks a scope", async () => {
      await scene.restart({ scopes: scene.setup.kind === "github" ? ["gist"] : ["read_api"] });
      expect(await check()).toEqual([expect.stringMatching(/lacks the scope "(repo|api)"/)]);
    });

    test("a token that does not tell its scopes", async () => {
      await scene.restart({ scopes: null });
      expect(await check()).toEqual([]);
    });

    test("a project that is not there or may not be seen, and one that may only be read", async () => {
      await scene.restart({ role: "none" });
      expect(await check()).toEqual([
        expect.stringMatching(/team\/shop has no such thing, or the token may not see it/),
      ]);
      await scene.restart({ role: "read" });
      expect(await check()).toEqual([expect.stringContaining("but not push")]);
    });

    test("people whom the forge does not know", async () => {
      const said = await check(TOKEN, { reviewer: "nobody-1", assignee: "nobody-2" });
      expect(said).toEqual([expect.stringContaining("nobody-1"), expect.stringContaining("nobody-2")]);
    });

    test("a forge that does not answer", async () => {
      scene.loopback.fail({ drop: true, times: 100 });
      expect(await check()).toEqual([expect.stringContaining("cannot be reached")]);
    });
  });
}
