import { expect, it } from "vitest";
import { terminalOutput } from "../../core/text/terminal-text.ts";
import type { CliContext } from "../context.ts";
import { printJsonWithOutput } from "./results.ts";

it("results --show-output --json: prints one JSON value, and never more than one event of the output at once", async () => {
  const writes: string[] = [];
  const context = { out: (text: string) => void writes.push(terminalOutput(text)) } as CliContext; // nothing else is used
  const events = ['say "hello"\n', "tab\tand \\ and ü\u2028\n", "x".repeat(1000)].map((text) => ({
    type: "text",
    text,
  }));
  await printJsonWithOutput(
    context,
    { task: "task_1", branch: "a\u202eb", checks: [] },
    (async function* () {
      yield* events;
    })(),
  );
  expect(JSON.parse(writes.join(""))).toEqual({
    task: "task_1",
    branch: "a\u202eb",
    checks: [],
    output: events,
  });
  expect(Math.max(...writes.map(({ length }) => length))).toBeLessThan(1100);
});
