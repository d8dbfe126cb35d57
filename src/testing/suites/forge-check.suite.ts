import { describe, expect, test } from "vitest";
import type { ForgeSettings } from "../../core/settings/settings.ts";
import { TOKEN } from "../forges/forge-scene.ts";
import type { ForgeScene } from "../forges/forge-scene.ts";

/** Contract tests of `check`: problems that would make publishing fail, and their messages. */
export function testForgeCheck(scene: ForgeScene): void {
  const check = (token: string | null = TOKEN, settings: Partial<ForgeSettings> = {}) =>
    scene.forge({ token, settings }).check();

  describe("check", () => {
    test("returns nothing if everything is fine", async () => {
      expect(await check(TOKEN, { reviewer: "alice", assignee: "bob" })).toEqual([]);
    });

    test("reports a token that is missing, wrong or malformed", async () => {
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
        expect.stringMatching(/team\/shop has no such thing, or the token may not see it/),
      ]);
      await scene.restart({ role: "read" });
      expect(await check()).toEqual([expect.stringContaining("but not push")]);
    });

    test("reports unknown users", async () => {
      const said = await check(TOKEN, { reviewer: "nobody-1", assignee: "nobody-2" });
      expect(said).toEqual([expect.stringContaining("nobody-1"), expect.stringContaining("nobody-2")]);
    });

    test("reports a forge that does not answer", async () => {
      scene.loopback.fail({ drop: true, times: 100 });
      expect(await check()).toEqual([expect.stringContaining("cannot be reached")]);
    });
  });
}
