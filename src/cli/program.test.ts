import type { Command } from "commander";
import { expect, test } from "vitest";
import { EXAMPLES } from "./examples.ts";
import { createProgram } from "./program.ts";

function paths(command: Command, prefix = ""): string[] {
  return command.commands.flatMap((child) => [
    `${prefix}${child.name()}`,
    ...paths(child, `${prefix}${child.name()} `),
  ]);
}

function flags(command: Command): string[] {
  return command.options.flatMap(({ long }) => long ?? []);
}

test("CLI: every command has an example, and every example parses", () => {
  expect(Object.keys(EXAMPLES).toSorted()).toEqual(paths(createProgram()).toSorted());
  for (const [path, example] of Object.entries(EXAMPLES))
    expect(example.startsWith(path.replace(/^token$/, "token list"))).toBe(true);
});

test("CLI: every command accepts the global flags", () => {
  const program = createProgram();
  for (const command of program.commands)
    expect(flags(command), command.name()).toEqual(
      expect.arrayContaining(["--json", "--project", "--quiet", "--no-color"]),
    );
});
