import { createServer } from "node:http";
import { describe, expect, test } from "vitest";
import { UserError } from "../../core/text/errors.ts";
import { openLoopbackForge } from "../forges/loopback-forge.ts";
import type { Failure } from "../forges/loopback-forge.ts";
import { TOKEN, forgeError } from "../forges/forge-scene.ts";
import type { ForgeScene } from "../forges/forge-scene.ts";

const OPEN = /\/(pulls|merge_requests)$/;

const hangs: typeof fetch = async () => {
  throw new DOMException("The operation timed out", "TimeoutError");
};

/** The forge's own way to say that too many requests came. */
function limitOf(kind: "github" | "gitlab", seconds: number): Failure {
  const reset = String(Math.ceil(Date.now() / 1000) + seconds);
  return kind === "github"
    ? { status: 403, headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset } }
    : { status: 429, headers: { "ratelimit-remaining": "0", "ratelimit-reset": reset } };
}

/** What a forge and the way to it do wrong, and what people are told then. */
export function testForgeFaults(scene: ForgeScene): void {
  const publish = () => scene.forge().publish(scene.draft());
  const posts = () => scene.apiRequests().filter(({ method, path }) => method === "POST" && OPEN.test(path));

  describe("never a second change request", () => {
    test("when somebody opens one while we look", async () => {
      await scene.makeBranch("night-shift/faster");
      const race: typeof fetch = async (url, init) => {
        const isCreation = init?.method === "POST" && typeof url === "string" && OPEN.test(url);
        if (isCreation && scene.loopback.changeRequests.length === 0)
          await scene.loopback.openRequest({ branch: "night-shift/faster", title: "by a person" });
        return await fetch(url, init);
      };
      const published = await scene.forge({ fetch: race }).publish(scene.draft());
      expect(published).toMatchObject({ number: 1, isNew: false, title: scene.draft().title });
      expect(scene.loopback.changeRequests).toHaveLength(1);
    });

    test("when the forge opened it and its answer was lost", async () => {
      await scene.makeBranch("night-shift/faster");
      scene.loopback.fail({ method: "POST", path: OPEN, drop: true, afterDoing: true });
      expect(await publish()).toMatchObject({ number: 1, isNew: true });
      scene.loopback.closeRequest(1);
      await scene.makeBranch("night-shift/faster");
      scene.loopback.fail({ method: "POST", path: OPEN, status: 502, afterDoing: true });
      expect(await publish()).toMatchObject({ number: 2, isNew: true });
      expect(scene.loopback.changeRequests).toHaveLength(2);
      expect(posts()).toHaveLength(2);
    });

    test("when it died between push and opening, and comes back", async () => {
      scene.loopback.dieAfterPush();
      await scene.pushBranch("night-shift/faster");
      expect(await forgeError(publish())).toMatchObject({ trouble: "unreachable", kind: "unavailable" });
      scene.loopback.recover();
      expect(await publish()).toMatchObject({ number: 1, isNew: true });
    });

    test("when all answers to opening are lost", async () => {
      await scene.makeBranch("night-shift/faster");
      scene.loopback.fail({ method: "POST", path: OPEN, status: 502, times: 2 });
      scene.loopback.fail({ method: "POST", path: OPEN, drop: true, afterDoing: true });
      expect(await publish()).toMatchObject({ number: 1, isNew: true });
    });

    test("when it died after opening, before labels and reviewer: that is told, and it is published", async () => {
      await scene.makeBranch("night-shift/faster");
      const times = scene.setup.kind === "github" ? 9 : 6;
      scene.loopback.fail({ path: /labels$|requested_reviewers$|\/\d+$/, status: 503, times });
      const draft = scene.draft({ reviewer: "alice" });
      const published = await scene.forge().publish(draft);
      expect(published).toMatchObject({ number: 1, isNew: true, url: expect.stringMatching(/1$/) });
      expect(published.warnings.join("\n")).toMatch(/reviewer|asked to review/);
      expect(published.warnings.join("\n")).toContain("It could not be read back.");
      scene.loopback.fail({ method: scene.setup.kind === "github" ? "PATCH" : "PUT", path: /\/1$/, status: 400 });
      const again = await scene.forge().publish(draft);
      expect(again).toMatchObject({ number: 1, isNew: false });
      expect(again.warnings).toEqual([expect.stringContaining("Its title and text are as they were.")]);
      expect(scene.loopback.changeRequests).toMatchObject([
        { labels: ["night-shift", "performance"], reviewers: ["alice"] },
      ]);
    });

    test("when the token is refused after opening: whoever asked knows what is open", async () => {
      await scene.makeBranch("night-shift/faster");
      scene.loopback.fail({ path: /labels$|requested_reviewers$|\/\d+$/, status: 401, times: 100 });
      const heard: string[] = [];
      const draft = scene.draft({ reviewer: "alice" });
      const failed = scene.forge().publish(draft, async ({ url }) => void heard.push(url));
      expect(await forgeError(failed)).toMatchObject({ trouble: "credentials" });
      expect(heard).toEqual([expect.stringMatching(/1$/)]);
    });

    test("when two publish at once", async () => {
      await scene.makeBranch("night-shift/faster");
      const all = await Promise.all([publish(), publish(), publish()]);
      expect(new Set(all.map(({ number }) => number))).toEqual(new Set([1]));
      expect(scene.loopback.changeRequests).toHaveLength(1);
    });
  });

  describe("what passes is tried again, what lasts is told", () => {
    test("a forge that fails twice", async () => {
      scene.loopback.fail({ status: 502, times: 1 });
      scene.loopback.fail({ drop: true, times: 1 });
      expect(await scene.forge().listOpen("night-shift")).toEqual([]);
      expect(scene.waits).toEqual([500, 2000]);
    });

    test("a forge that goes on failing", async () => {
      scene.loopback.fail({ status: 503, times: 100 });
      const error = await forgeError(scene.forge().listOpen("night-shift"));
      expect(error).toMatchObject({ trouble: "unreachable", message: expect.stringContaining("status 503") });
      expect(scene.apiRequests()).toHaveLength(3);
    });

    test("a forge where nobody listens", async () => {
      const gone = await openLoopbackForge({ kind: scene.setup.kind, token: TOKEN });
      await gone.close();
      const forge = scene.forge({ settings: { url: gone.url, project: "team/shop" } });
      const error = await forgeError(forge.read(1));
      expect(error).toMatchObject({
        trouble: "unreachable",
        message: expect.stringContaining("nothing listens there"),
      });
    });

    test("a forge that never answers", async () => {
      const error = await forgeError(scene.forge({ fetch: hangs }).read(1));
      expect(error.message).toContain("did not answer within 30 seconds");
    });

    test("a certificate that is not trusted is not asked for again", async () => {
      let asked = 0;
      const refuses: typeof fetch = () => {
        asked++;
        const cause = Object.assign(new Error(`bad ${TOKEN}`), { code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
        return Promise.reject(new TypeError("fetch failed", { cause }));
      };
      const error = await forgeError(scene.forge({ fetch: refuses }).read(1));
      expect(error).toMatchObject({ hint: expect.stringContaining("NODE_EXTRA_CA_CERTS") });
      expect(asked).toBe(1);
    });
  });

  describe("rate limits", () => {
    test("a short one is waited for, also when something is to be opened", async () => {
      await scene.makeBranch("night-shift/faster");
      scene.loopback.fail({ method: "POST", path: OPEN, ...limitOf(scene.setup.kind, 2) });
      scene.loopback.fail({ method: "GET", path: OPEN, status: 429, headers: { "retry-after": "3" } });
      expect(await scene.forge().publish(scene.draft())).toMatchObject({ number: 1, isNew: true });
      expect(scene.waits).toHaveLength(2);
      expect(scene.waits[0]).toBe(3500);
      for (const wait of scene.waits) expect(wait).toBeLessThanOrEqual(5500);
    });

    test("a long one is told, with when to come back", async () => {
      scene.loopback.fail({ ...limitOf(scene.setup.kind, 3600), times: 100 });
      const error = await forgeError(scene.forge().listOpen("night-shift"));
      expect(error).toMatchObject({ trouble: "rate_limit", kind: "unavailable" });
      expect(error.retryAt).toBeGreaterThan(Date.now() + 3000_000);
      expect(error.retryAt).toBeLessThan(Date.now() + 3700_000);
      expect(scene.apiRequests()).toHaveLength(1);
    });

    test("one that comes again and again is not waited for without end", async () => {
      scene.loopback.fail({ status: 429, headers: { "retry-after": "1" }, times: 100 });
      expect(await forgeError(scene.forge().read(1))).toMatchObject({ trouble: "rate_limit" });
      expect(scene.apiRequests()).toHaveLength(4);
    });

    test.each(["soon", "-5", "99999999999999", ""])("a nonsense of %j", async (value) => {
      scene.loopback.fail({ status: 429, headers: { "retry-after": value, "x-ratelimit-reset": value }, times: 100 });
      const { trouble, retryAt } = await forgeError(scene.forge().read(1));
      expect(trouble).toBe("rate_limit");
      expect(retryAt).toBeGreaterThan(Date.now() - 60_000);
      expect(retryAt).toBeLessThanOrEqual(Date.now() + 86_400_000);
    });
  });

  describe("answers that are none", () => {
    test("a login page", async () => {
      const page = {
        status: 200,
        headers: { "content-type": "text/html; charset=utf-8" },
        body: "<html>Sign in</html>",
      };
      scene.loopback.fail({ ...page, times: 100 });
      const error = await forgeError(scene.forge().publish(scene.draft()));
      expect(error).toMatchObject({ trouble: "unreachable", message: expect.stringContaining("a web page") });
      expect(error.hint).toContain("login page or a proxy");
    });

    test.each<[string, unknown]>([
      ["nothing", ""],
      ["half an answer", '{"id": 4711, "full_na'],
      ["another kind", "[]"],
      ["null", "null"],
      ["a number", "7"],
      ["a missing field", { id: 4711 }],
    ])("%s", async (_, body) => {
      scene.loopback.fail({ status: 200, body, times: 100 });
      const error = await forgeError(scene.forge().listOpen("night-shift"));
      expect(error).toMatchObject({ trouble: "unreachable", hint: expect.stringContaining("forge.url") });
    });

    test("a field that is missing is named", async () => {
      const { number } = await scene.loopback.openRequest({ branch: "main" });
      scene.loopback.fail({ path: /\/1$/, status: 200, body: { number, iid: number, title: "x" } });
      expect((await forgeError(scene.forge().read(number))).message).toMatch(/"(html_url|web_url)" is missing/);
    });

    test("an answer without end", async () => {
      scene.loopback.fail({ status: 200, body: JSON.stringify("x".repeat(17 * 1024 * 1024)), times: 100 });
      expect((await forgeError(scene.forge().read(1))).message).toContain("more than 16 MiB");
    });

    test("a forge that repeats the token, and words that would move the cursor", async () => {
      scene.loopback.fail({
        status: 422,
        body: { message: `no ${TOKEN} \u001b[2J here`, errors: ["a", { field: "b", code: "c" }] },
      });
      const { message } = await forgeError(scene.forge().read(1));
      expect(message).toContain("no [redacted: forge_token] here; a; b is c");
    });
  });

  describe("the token", () => {
    test("does not follow a redirect to another host", async () => {
      const seen: string[] = [];
      const other = createServer((request, response) => {
        seen.push(request.url ?? "");
        response.end("{}");
      });
      await new Promise<void>((done) => void other.listen(0, "127.0.0.1", done));
      const address = other.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      try {
        for (const status of [301, 302, 307, 308]) {
          scene.loopback.fail({ status, headers: { location: `http://127.0.0.1:${port}/stolen` } });
          const error = await forgeError(scene.forge().read(1));
          expect(error.message).toContain(`sends us on to http://127.0.0.1:${port}; the token is not taken there.`);
        }
        // Nor to a page that such a server names.
        const link = `<http://127.0.0.1:${port}/page2?page=2>; rel="next"`;
        scene.loopback.fail({ path: OPEN, status: 200, headers: { link }, body: "[]" });
        await scene
          .forge()
          .listOpen("x")
          .catch(() => undefined);
        expect(seen).toEqual([]);
      } finally {
        await new Promise((done) => void other.close(done));
      }
    });

    test("does not go round in circles", async () => {
      const location = scene.setup.kind === "github" ? "/api/v3/repos/team/shop" : "/api/v4/projects/4711";
      scene.loopback.fail({ status: 302, headers: { location }, times: 100 });
      expect((await forgeError(scene.forge().read(1))).message).toContain("circle of redirects");
      expect(scene.apiRequests()).toHaveLength(4);
    });

    test("is refused, or may not", async () => {
      await scene.makeBranch("night-shift/faster");
      const wrong = await forgeError(scene.forge({ token: "a-wrong-token" }).publish(scene.draft()));
      expect(wrong).toMatchObject({
        trouble: "credentials",
        kind: "forbidden",
        hint: expect.stringContaining("$FORGE_TOKEN"),
      });
      const missing = await forgeError(scene.forge({ token: null }).publish(scene.draft()));
      expect(missing).toMatchObject({
        trouble: "credentials",
        message: expect.stringContaining("$FORGE_TOKEN is not set"),
      });
      await scene.restart({ role: "read" });
      await scene.makeBranch("night-shift/faster");
      const lacking = await forgeError(scene.forge().publish(scene.draft()));
      expect(lacking).toMatchObject({ trouble: "credentials", message: expect.stringContaining("may not open") });
    });

    test("goes to remotes of the forge alone", () => {
      const forge = scene.forge();
      const { url, remoteUrl } = scene.loopback;
      expect(forge.credentialsFor(remoteUrl)).toMatchObject({ password: TOKEN });
      expect(forge.credentialsFor(remoteUrl.replace("127.0.0.1", "localhost"))).toBeNull();
      expect(forge.credentialsFor(remoteUrl.replace("http:", "https:"))).toBeNull();
      expect(forge.credentialsFor("git@127.0.0.1:team/shop.git")).toBeNull();
      expect(forge.credentialsFor(`${url}@evil.example/team/shop.git`)).toBeNull();
    });
  });

  describe("settings that name no project", () => {
    test.each<[string, string | null, string]>([
      ["a path as remote", null, "/srv/git/shop.git"],
      ["another forge's remote", null, "https://elsewhere.example/team/shop.git"],
      ["a project without a team", "shop", "/srv/git/shop.git"],
      ["a project with tricks", "team/../../admin", "/srv/git/shop.git"],
    ])("%s", (_, project, remote) => {
      expect(() => scene.forge({ settings: { project }, remote })).toThrow(UserError);
    });
  });
}
