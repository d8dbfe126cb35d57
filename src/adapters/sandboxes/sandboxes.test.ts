import { expect, test } from "vitest";
import { UserError } from "../../core/errors.ts";
import { examplePolicy, testSandbox } from "../../testing/sandbox.suite.ts";
import { sandboxes } from "./index.ts";

testSandbox("none", sandboxes.none);
testSandbox("external", sandboxes.external);

test.each(["none", "external"] as const)("%s starts the command itself where the policy says", (mode) => {
  const sandbox = sandboxes[mode];
  expect([sandbox.mode, sandbox.name]).toEqual([mode, mode]);
  expect(sandbox.confine(examplePolicy, ["agent", "-x"])).toEqual({
    argv: ["agent", "-x"],
    env: examplePolicy.env,
    cwd: "/workspace",
  });
});

const confine = () => sandboxes.enforce.confine(examplePolicy, ["agent"]);

test("enforce refuses, and says what to do", () => {
  expect(confine).toThrow(UserError);
  expect(confine).toThrow(
    expect.objectContaining({ kind: "unavailable", hint: expect.stringContaining("sandbox.mode: none") }),
  );
});
