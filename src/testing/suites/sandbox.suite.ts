import { describe, expect, test } from "vitest";
import type { Sandbox, SandboxContext, SandboxPolicy } from "../../ports/sandbox.ts";

export interface SandboxCase {
  readonly sandbox: Sandbox;
  readonly policy: () => SandboxPolicy;
  readonly context: () => SandboxContext;
}

/** Contract tests for every sandbox. */
export function testSandbox(name: string, { sandbox, policy, context }: SandboxCase): void {
  describe(`sandbox ${name}`, () => {
    test("has a name for records", () => {
      expect(sandbox.name).not.toBe("");
    });

    test("keeps the command's arguments in order at the end", async () => {
      const argv = ["sh", "--flag", "a b", ""] as const;
      const { command, close } = await sandbox.open(policy(), argv, context());
      await close();
      expect(command.argv.slice(-argv.length + 1)).toEqual(argv.slice(1));
    });

    test("does not change the policy, and can be closed repeatedly", async () => {
      const original = policy();
      const before = structuredClone(original);
      const confinement = await sandbox.open(original, ["sh"], context());
      await confinement.close();
      await confinement.close();
      expect(original).toEqual(before);
    });

    test("does not show the environment in the process list", async () => {
      const secret = "to-be-seen-by-nobody";
      const { command, close } = await sandbox.open(
        { ...policy(), env: { PATH: "/usr/bin", T: secret } },
        ["sh"],
        context(),
      );
      await close();
      expect(command.argv.join(" ")).not.toContain(secret);
    });
  });
}
