import { describe, expect, test } from "vitest";
import type { Sandbox, SandboxContext, SandboxPolicy } from "../../ports/sandbox.ts";

export interface SandboxCase {
  readonly sandbox: Sandbox;
  readonly policy: () => SandboxPolicy;
  readonly place: () => SandboxContext;
}

/** Contract tests for every sandbox. */
export function testSandbox(name: string, { sandbox, policy, place }: SandboxCase): void {
  describe(`sandbox ${name}`, () => {
    test("has a name for records", () => {
      expect(sandbox.name).not.toBe("");
    });

    test("keeps the command's arguments in order at the end", async () => {
      const argv = ["sh", "--flag", "a b", ""] as const;
      const { command, close } = await sandbox.open(policy(), argv, place());
      await close();
      expect(command.argv.slice(-argv.length + 1)).toEqual(argv.slice(1));
    });

    test("does not change the policy, and can be closed repeatedly", async () => {
      const given = policy();
      const before = structuredClone(given);
      const confinement = await sandbox.open(given, ["sh"], place());
      await confinement.close();
      await confinement.close();
      expect(given).toEqual(before);
    });

    test("does not show the environment in the process list", async () => {
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
