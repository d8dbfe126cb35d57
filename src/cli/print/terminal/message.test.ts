import { expect, test } from "vitest";
import { describeProblems, formatMessage, hangMessage } from "./message.ts";

test.for<[name: string, text: string, expected: string]>([
  [
    "a command between two sentences",
    "bubblewrap is not installed. Run: sudo apt-get install -y bubblewrap If this machine cannot run the sandbox, do.",
    "bubblewrap is not installed.\nRun:\n  sudo apt-get install -y bubblewrap\nIf this machine cannot run the sandbox, do.",
  ],
  [
    "a remark after a command",
    "Run: sudo sysctl -w user.max_user_namespaces=15000 (and keep it in /etc/sysctl.d). If this machine cannot, do.",
    "Run:\n  sudo sysctl -w user.max_user_namespaces=15000\n(and keep it in /etc/sysctl.d).\nIf this machine cannot, do.",
  ],
  [
    "a pipe of commands",
    "Allow it for bwrap only: printf 'a: {\\n}' | sudo tee /etc/a && sudo load /etc/a If this machine cannot, do.",
    "Allow it for bwrap only:\n  printf 'a: {\\n}' | sudo tee /etc/a && sudo load /etc/a\nIf this machine cannot, do.",
  ],
  ["no command", "add it: nightshift trust", "add it: nightshift trust"],
  ["control characters", "a\u001b[2Jb", "ab"],
])("format message: %s", ([, text, expected]) => {
  expect(formatMessage(text)).toBe(expected);
});

test("messages: lines after the first are indented", () => {
  expect(formatMessage("No. Run: sudo x", "    ")).toBe("No.\n    Run:\n      sudo x");
});

test("problems: each problem is marked and highlighted", () => {
  expect(describeProblems({ color: false }, ["one", "two. Run: sudo x"])).toBe("! one\n! two.\n  Run:\n    sudo x\n");
  expect(describeProblems({ color: true }, ["one"])).toBe("\u001b[31m!\u001b[39m \u001b[33mone\u001b[39m\n");
  expect(describeProblems({ color: true }, [])).toBe("");
});

test("messages: on a terminal, sentences are broken to fit, but no command that people copy", () => {
  const screen = { color: false, width: 40 };
  const text =
    "The program was not found on the PATH of the daemon. Install it by `npm install -g @example/some-agent@2.1.0`.";
  expect(hangMessage(screen, text, "  ").split("\n")).toEqual([
    "The program was not found on the PATH",
    "  of the daemon. Install it by",
    "  `npm install -g @example/some-agent@2.1.0`.",
  ]);
  const command = "sudo apt-get install --yes bubblewrap uidmap";
  expect(hangMessage(screen, `The sandbox does not work here. Run: ${command}`, "  ").split("\n")).toEqual([
    "The sandbox does not work here.",
    "  Run:",
    `    ${command}`,
  ]);
  expect(hangMessage(screen, 'Check the files first, then run "nightshift trust --yes".', "").split("\n")).toEqual([
    "Check the files first, then run",
    '"nightshift trust --yes".',
  ]);
});
