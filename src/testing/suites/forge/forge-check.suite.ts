import { describe, expect, test } from "vitest";
import type { ForgeSettings } from "../../../core/settings/settings.ts";
import { TOKEN } from "../../forges/forge-scene.ts";
import type { ForgeScene } from "../../forges/forge-scene.ts";

/** Contract tests of `check`: problems that would make publishing fail, and their messages. */
export function testForgeCheck(scene: ForgeScene): void {
  const check = (token: string | null = TOKEN, settings: Partial<ForgeSettings> = {}) =>
    scene.forge({ token, settings }).check();

  describe("check", () => {
    test("returns nothing if everything is fine", async () => {
      expect(await check(TOKEN, { reviewer: "alice", assignee: "bob" })).toEqual([]);
    });

    test("reports a token that is missing, wrong or malformed", async () => {
      expect(await check(null)).toEqual([expect.stringMatching(/no token .*FORGE_TOKEN is not set.*Create one with/)]);
      expect(await check("  ")).toEqual([expect.stringContaining("FORGE_TOKEN is not set")]);
      expect(await check("an-expired-token")).toEqual([
        expect.stringMatching(/refused the token.*expired.*Create a new one/),
      ]);
      const [problem = ""] = await check("two\nlines-of-a-file");
      expect(problem).toContain("is not a token");
      expect(problem).not.toContain("lines-of-a-file");
      expect(scene.forge({ token: null }).credentialsFor(scene.loopback.remoteUrl)).toBeNull();
    });

    test("reports a token without a required scope", async () => {
      await scene.restart({ scopes: scene.setup.kind === "github" ? ["gist"] : ["read_api"] });
      expect(await check()).toEqual([expect.stringMatching(/lacks the scope "(repo|api)"/)]);
    });

    test("accepts a token whose scopes are not reported", async () => {
      await scene.restart({ scopes: null });
      expect(await check()).toEqual([]);
    });

    test("reports a project that is missing, hidden or read-only", async () => {
      await scene.restart({ role: "none" });
      expect(await check()).toEqual([
        expect.stringMatching(/team\/shop does not have it, or the token is not allowed to see it/),
      ]);
      await scene.restart({ role: "read" });
      expect(await check()).toEqual([expect.stringContaining("but not push")]);
    });

    test("reports unknown users", async () => {
      const problems = await check(TOKEN, { reviewer: "nobody-1", assignee: "nobody-2" });
      expect(problems).toEqual([expect.stringContaining("nobody-1"), expect.stringContaining("nobody-2")]);
    });

    test("reports a forge that does not answer", async () => {
      scene.loopback.fail({ drop: true, times: 100 });
      expect(await check()).toEqual([expect.stringContaining("cannot be reached")]);
    });
  });
}
