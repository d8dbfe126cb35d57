import { describe, expect, test } from "vitest";
import type { Sandbox, SandboxPolicy } from "../ports/sandbox.ts";

export const examplePolicy: SandboxPolicy = {
  cwd: "/workspace",
  write: ["/workspace"],
  read: ["/usr"],
  env: { PATH: "/usr/bin", LANG: "C" },
};

/** What every sandbox that is there must do with a policy. */
export function testSandbox(name: string, sandbox: Sandbox): void {
  describe(`sandbox ${name}`, () => {
    test("is recorded under a name", () => {
      expect(sandbox.name).not.toBe("");
    });

    test("keeps the command's own words, in order, at the end of what it starts", () => {
      const argv = ["agent", "--flag", "a b", ""] as const;
      expect(sandbox.confine(examplePolicy, argv).argv.slice(-argv.length)).toEqual(argv);
    });

    test("gives the policy's environment and nothing of ours", () => {
      const { env } = sandbox.confine(examplePolicy, ["agent"]);
      expect(env).toEqual(examplePolicy.env);
    });

    test("answers the same to the same question, and changes no policy", () => {
      const frozen = Object.freeze({ ...examplePolicy, env: Object.freeze({ ...examplePolicy.env }) });
      expect(sandbox.confine(frozen, ["agent"])).toEqual(sandbox.confine(frozen, ["agent"]));
    });
  });
}
