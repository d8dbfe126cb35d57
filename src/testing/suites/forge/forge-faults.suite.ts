import { createServer } from "node:http";
import { describe, expect, test } from "vitest";
import { UserError } from "../../../core/text/errors.ts";
import { openLoopbackForge } from "../../forges/loopback-forge.ts";
import type { Failure } from "../../forges/loopback-forge.ts";
import { TOKEN, forgeError } from "../../forges/forge-scene.ts";
import type { ForgeScene } from "../../forges/forge-scene.ts";

const OPEN = /\/(pulls|merge_requests)$/;

const timesOut: typeof fetch = async () => {
  throw new DOMException("The operation timed out", "TimeoutError");
};

/** The forge's response to too many requests. */
function rateLimitResponse(kind: "github" | "gitlab", seconds: number): Failure {
  const reset = String(Math.ceil(Date.now() / 1000) + seconds);
  return kind === "github"
    ? { status: 403, headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset } }
    : { status: 429, headers: { "ratelimit-remaining": "0", "ratelimit-reset": reset } };
}

/** Contract tests for failures of the forge and the network, and their messages. */
export function testForgeFaults(scene: ForgeScene): void {
  const publish = () => scene.forge().publish(scene.draft());
  const posts = () => scene.apiRequests().filter(({ method, path }) => method === "POST" && OPEN.test(path));

  describe("never opens a second change request", () => {
    test("if someone opens one at the same time", async () => {
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

    test("if the forge opened it and the response was lost", async () => {
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

    test("if it crashed between push and opening, and is retried", async () => {
      scene.loopback.stopAfterPush();
      await scene.pushBranch("night-shift/faster");
      expect(await forgeError(publish())).toMatchObject({ trouble: "unreachable", kind: "unavailable" });
      scene.loopback.recover();
      expect(await publish()).toMatchObject({ number: 1, isNew: true });
    });

    test("if all responses to opening are lost", async () => {
      await scene.makeBranch("night-shift/faster");
      scene.loopback.fail({ method: "POST", path: OPEN, status: 502, times: 2 });
      scene.loopback.fail({ method: "POST", path: OPEN, drop: true, afterDoing: true });
      expect(await publish()).toMatchObject({ number: 1, isNew: true });
    });

    test("if it crashed after opening, before labels and reviewer: it is published with a warning", async () => {
      await scene.makeBranch("night-shift/faster");
      const times = scene.setup.kind === "github" ? 9 : 6;
      scene.loopback.fail({ path: /labels$|requested_reviewers$|\/\d+$/, status: 503, times });
      const draft = scene.draft({ reviewer: "alice" });
      const published = await scene.forge().publish(draft);
      expect(published).toMatchObject({ number: 1, isNew: true, url: expect.stringMatching(/1$/) });
      expect(published.warnings.join("\n")).toMatch(/reviewer/);
      expect(published.warnings.join("\n")).toContain("It could not be read back.");
      scene.loopback.fail({ method: scene.setup.kind === "github" ? "PATCH" : "PUT", path: /\/1$/, status: 400 });
      const again = await scene.forge().publish(draft);
      expect(again).toMatchObject({ number: 1, isNew: false });
      expect(again.warnings).toEqual([expect.stringContaining("Its title and text were not updated.")]);
      expect(scene.loopback.changeRequests).toMatchObject([
        { labels: ["night-shift", "performance"], reviewers: ["alice"] },
      ]);
    });

    test("if the token is refused after opening: the caller knows what is open", async () => {
      await scene.makeBranch("night-shift/faster");
      scene.loopback.fail({ path: /labels$|requested_reviewers$|\/\d+$/, status: 401, times: 100 });
      const opened: string[] = [];
      const draft = scene.draft({ reviewer: "alice" });
      const failed = scene.forge().publish(draft, async ({ url }) => void opened.push(url));
      expect(await forgeError(failed)).toMatchObject({ trouble: "credentials" });
      expect(opened).toEqual([expect.stringMatching(/1$/)]);
    });

    test("if two publish at the same time", async () => {
      await scene.makeBranch("night-shift/faster");
      const all = await Promise.all([publish(), publish(), publish()]);
      expect(new Set(all.map(({ number }) => number))).toEqual(new Set([1]));
      expect(scene.loopback.changeRequests).toHaveLength(1);
    });
  });

  describe("retries temporary failures and reports permanent ones", () => {
    test("retries a forge that fails twice", async () => {
      scene.loopback.fail({ status: 502, times: 1 });
      scene.loopback.fail({ drop: true, times: 1 });
      expect(await scene.forge().listOpen("night-shift")).toEqual([]);
      expect(scene.waits).toEqual([500, 2000]);
    });

    test("reports a forge that keeps failing", async () => {
      scene.loopback.fail({ status: 503, times: 100 });
      const error = await forgeError(scene.forge().listOpen("night-shift"));
      expect(error).toMatchObject({ trouble: "unreachable", message: expect.stringContaining("status 503") });
      expect(scene.apiRequests()).toHaveLength(3);
    });

    test("reports a refused connection", async () => {
      const closed = await openLoopbackForge({ kind: scene.setup.kind, token: TOKEN });
      await closed.close();
      const forge = scene.forge({ settings: { url: closed.url, project: "team/shop" } });
      const error = await forgeError(forge.read(1));
      expect(error).toMatchObject({
        trouble: "unreachable",
        message: expect.stringContaining("the connection was refused"),
      });
    });

    test("reports a forge that never answers", async () => {
      const error = await forgeError(scene.forge({ fetch: timesOut }).read(1));
      expect(error.message).toContain("did not answer within 30 seconds");
    });

    test("does not retry an untrusted certificate", async () => {
      let requests = 0;
      const failsTls: typeof fetch = () => {
        requests++;
        const cause = Object.assign(new Error(`bad ${TOKEN}`), { code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
        return Promise.reject(new TypeError("fetch failed", { cause }));
      };
      const error = await forgeError(scene.forge({ fetch: failsTls }).read(1));
      expect(error).toMatchObject({ hint: expect.stringContaining("NODE_EXTRA_CA_CERTS") });
      expect(requests).toBe(1);
    });
  });

  describe("rate limits", () => {
    test("waits for a short one, also when opening", async () => {
      await scene.makeBranch("night-shift/faster");
      scene.loopback.fail({ method: "POST", path: OPEN, ...rateLimitResponse(scene.setup.kind, 2) });
      scene.loopback.fail({ method: "GET", path: OPEN, status: 429, headers: { "retry-after": "3" } });
      expect(await scene.forge().publish(scene.draft())).toMatchObject({ number: 1, isNew: true });
      expect(scene.waits).toHaveLength(2);
      expect(scene.waits[0]).toBe(3500);
      for (const wait of scene.waits) expect(wait).toBeLessThanOrEqual(5500);
    });

    test("reports a long one with the time to retry", async () => {
      scene.loopback.fail({ ...rateLimitResponse(scene.setup.kind, 3600), times: 100 });
      const error = await forgeError(scene.forge().listOpen("night-shift"));
      expect(error).toMatchObject({ trouble: "rate_limit", kind: "unavailable" });
      expect(error.retryAt).toBeGreaterThan(Date.now() + 3000_000);
      expect(error.retryAt).toBeLessThan(Date.now() + 3700_000);
      expect(scene.apiRequests()).toHaveLength(1);
    });

    test("does not wait forever for repeated ones", async () => {
      scene.loopback.fail({ status: 429, headers: { "retry-after": "1" }, times: 100 });
      expect(await forgeError(scene.forge().read(1))).toMatchObject({ trouble: "rate_limit" });
      expect(scene.apiRequests()).toHaveLength(4);
    });

    test.each(["soon", "-5", "99999999999999", ""])("handles the invalid value %j", async (value) => {
      scene.loopback.fail({ status: 429, headers: { "retry-after": value, "x-ratelimit-reset": value }, times: 100 });
      const { trouble, retryAt } = await forgeError(scene.forge().read(1));
      expect(trouble).toBe("rate_limit");
      expect(retryAt).toBeGreaterThan(Date.now() - 60_000);
      expect(retryAt).toBeLessThanOrEqual(Date.now() + 86_400_000);
    });
  });

  describe("invalid responses", () => {
    test("reports a login page", async () => {
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
      ["half a response", '{"id": 4711, "full_na'],
      ["the wrong type", "[]"],
      ["null", "null"],
      ["a number", "7"],
      ["a missing field", { id: 4711 }],
    ])("rejects %s", async (_, body) => {
      scene.loopback.fail({ status: 200, body, times: 100 });
      const error = await forgeError(scene.forge().listOpen("night-shift"));
      expect(error).toMatchObject({ trouble: "unreachable", hint: expect.stringContaining("forge.url") });
    });

    test("reports which field is missing", async () => {
      const { number } = await scene.loopback.openRequest({ branch: "main" });
      scene.loopback.fail({ path: /\/1$/, status: 200, body: { number, iid: number, title: "x" } });
      expect((await forgeError(scene.forge().read(number))).message).toMatch(/"(html_url|web_url)" is missing/);
    });

    test("rejects an endless response", async () => {
      scene.loopback.fail({ status: 200, body: JSON.stringify("x".repeat(17 * 1024 * 1024)), times: 100 });
      expect((await forgeError(scene.forge().read(1))).message).toContain("more than 16 MiB");
    });

    test("redacts the token and control characters in messages of the forge", async () => {
      scene.loopback.fail({
        status: 422,
        body: { message: `no ${TOKEN} \u001b[2J here`, errors: ["a", { field: "b", code: "c" }] },
      });
      const { message } = await forgeError(scene.forge().read(1));
      expect(message).toContain("no [redacted: forge_token] here; a; b is c");
    });
  });

  describe("the token", () => {
    test("is not sent to another host by a redirect", async () => {
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
          expect(error.message).toContain(`redirects to http://127.0.0.1:${port}, and the token is not sent there.`);
        }
        // Nor to a page URL that such a server returns.
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

    test("is not sent in a redirect loop", async () => {
      const location = scene.setup.kind === "github" ? "/api/v3/repos/team/shop" : "/api/v4/projects/4711";
      scene.loopback.fail({ status: 302, headers: { location }, times: 100 });
      expect((await forgeError(scene.forge().read(1))).message).toContain("redirects too often");
      expect(scene.apiRequests()).toHaveLength(4);
    });

    test("is reported if it is refused or lacks permissions", async () => {
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
      expect(lacking).toMatchObject({
        trouble: "credentials",
        message: expect.stringContaining("is not allowed to open"),
      });
    });

    test("is sent only to remotes of the forge", () => {
      const forge = scene.forge();
      const { url, remoteUrl } = scene.loopback;
      expect(forge.credentialsFor(remoteUrl)).toMatchObject({ password: TOKEN });
      expect(forge.credentialsFor(remoteUrl.replace("127.0.0.1", "localhost"))).toBeNull();
      expect(forge.credentialsFor(remoteUrl.replace("http:", "https:"))).toBeNull();
      expect(forge.credentialsFor("git@127.0.0.1:team/shop.git")).toBeNull();
      expect(forge.credentialsFor(`${url}@evil.example/team/shop.git`)).toBeNull();
    });
  });

  describe("settings without a valid project", () => {
    test.each<[string, string | null, string]>([
      ["a path as remote", null, "/srv/git/shop.git"],
      ["another forge's remote", null, "https://elsewhere.example/team/shop.git"],
      ["a project without a team", "shop", "/srv/git/shop.git"],
      ["a project path that leaves its group", "team/../../admin", "/srv/git/shop.git"],
    ])("rejects %s", (_, project, remote) => {
      expect(() => scene.forge({ settings: { project }, remote })).toThrow(UserError);
    });
  });
}
