import { describe, expect, test } from "vitest";
import type { Sandbox, SandboxPlace, SandboxPolicy } from "../../ports/sandbox.ts";

export interface SandboxCase {
  readonly sandbox: Sandbox;
  readonly policy: () => SandboxPolicy;
  readonly place: () => SandboxPlace;
}

/** What every sandbox that is there must do with a policy. */
export function testSandbox(name: string, { sandbox, policy, place }: SandboxCase): void {
  describe(`sandbox ${name}`, () => {
    test("is recorded under a name", () => {
      expect(sandbox.name).not.toBe("");
    });

    test("keeps the command's own words, in order, at the end of what it starts", async () => {
      const argv = ["sh", "--flag", "a b", ""] as const;
      const { command, close } = await sandbox.open(policy(), argv, place());
      await close();
      expect(command.argv.slice(-argv.length + 1)).toEqual(argv.slice(1));
    });

    test("changes no policy, and closes as often as it is asked", async () => {
      const given = policy();
      const before = structuredClone(given);
      const confinement = await sandbox.open(given, ["sh"], place());
      await confinement.close();
      await confinement.close();
      expect(given).toEqual(before);
    });

    test("shows nothing of the environment to those who look at the machine's processes", async () => {
      const secret = "to-be-seen-by-nobody";
      const { command, close } = await sandbox.open(
        { ...policy(), env: { PATH: "/usr/bin", T: secret } },
        ["sh"],
        place(),
      );
      await close();
      expect(command.argv.join(" ")).not.toContain(secret);
    });
  });
}
