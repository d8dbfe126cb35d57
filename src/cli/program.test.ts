import type { Command } from "commander";
import { describe, expect, test, vi } from "vitest";
import { EXAMPLES } from "./examples.ts";
import { allCommands } from "./help.ts";
import { createProgram, runProgram } from "./program.ts";

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

const VERBS =
  /^(Accept|Add|Allow|Answer|Approve|Change|Check|Choose|Continue|Create|Delete|Detect|End|Follow|Give|Grant|Group|Include|Let|Limit|List|Listen|Manage|Move|Open|Overwrite|Pause|Post|Print|Put|Read|Record|Register|Reject|Remove|Replace|Request|Resume|Return|Retry|Review|Revoke|Run|Save|Send|Set|Show|Skip|Start|Stop|Store|Submit|Try|Use|Wait|Merge|Write) /;

test("CLI: every line of help starts with a verb and has no full stop", () => {
  const program = createProgram();
  const lines = [program, ...allCommands(program)].flatMap((command) => [
    command.description(),
    ...command
      .createHelp()
      .visibleOptions(command)
      .map(({ description }) => description),
    ...command
      .createHelp()
      .visibleCommands(command)
      .map((each) => each.description()),
  ]);
  expect(lines.length).toBeGreaterThan(100);
  expect(lines.filter((line) => !VERBS.test(line.replace("Show help", "Show help ")))).toEqual([]);
  expect(lines.filter((line) => line.endsWith(".")).filter((line) => !line.startsWith("Put "))).toEqual([]);
});

describe("CLI: wrong use points to the help of the command", () => {
  const groups = ["auth", "notify", "rules", "schedule", "service", "token"];

  test.each(paths(createProgram()).filter((path) => !groups.includes(path)))("%s", async (path) => {
    await expect(runProgram([...path.split(" "), "--no-such-option"], true)).rejects.toMatchObject({
      name: "CommanderError",
      hint: expect.stringContaining(`"nightshift ${path} --help"`),
    });
  });

  test.each(groups)("an unknown subcommand of %s", async (group) => {
    await expect(runProgram([group, "lisst"], true)).rejects.toMatchObject({
      message: expect.stringContaining("error: unknown command 'lisst'."),
      hint: expect.stringContaining(`"nightshift ${group} --help"`),
    });
  });
});

test.each([
  ["a command", ["\u001b[2Jshow\u202e"]],
  ["an option", ["show", "--\u001b[2J\u202e"]],
  ["a surplus argument", ["start", "\u001b[2J\u202e"]],
  ["a value", ["improve", "--category", "\u001b[2J\u202e"]],
])("CLI: the message about %s that does not exist contains no control characters", async (_, argv) => {
  const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  await expect(runProgram(argv, false)).rejects.toThrow(/^error: /);
  const text = write.mock.calls.map(([chunk]) => String(chunk)).join("");
  write.mockRestore();
  expect(text).toMatch(/^error: /);
  // oxlint-disable-next-line no-control-regex -- matches control characters
  expect(text).not.toMatch(/[\u001b\u202e]/);
});
