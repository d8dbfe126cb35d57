import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createUser, PROJECT_FILE, type User } from "../../support/cli-user.ts";
import { COLUMNS, hasScript, runOnTerminal as runAs, type TerminalRun } from "../../support/terminal.ts";

let user: User;

beforeAll(async () => {
  user = await createUser();
  await writeFile(join(user.repo.checkout, "nightshift.yaml"), PROJECT_FILE(user.repo.path));
  await user.run("init", "--yes", "--no-run");
});

afterAll(() => user.cleanUp());

function runOnTerminal(...args: readonly string[]): TerminalRun {
  return runAs(user, args);
}

/** What stays on the screen: each line as it was last overwritten. */
function finalLines(output: string): readonly string[] {
  // oxlint-disable-next-line no-control-regex -- the sequences of the live line
  const plain = output.replaceAll(/\u001b\[(?:\?7[lh]|\?25[lh]|\d+m)/g, "");
  return plain.split("\n").map((line) => {
    let row = "";
    let cursor = 0;
    for (const part of line.split(/(\r|\u001b\[J)/)) {
      if (part === "\r") cursor = 0;
      else if (part === "\u001b[J") row = row.slice(0, cursor);
      else {
        row = row.slice(0, cursor) + part + row.slice(cursor + part.length);
        cursor += part.length;
      }
    }
    return row;
  });
}

function readKeys(): Promise<string> {
  return readFile(join(user.home, "auth/keys.json"), "utf8").catch(() => "there are none");
}

describe.skipIf(!hasScript)("CLI on a terminal", { timeout: 120_000 }, () => {
  test("--wait shows what the agent does on one line and leaves nothing of it behind", async () => {
    const run = runOnTerminal("submit", "--pipeline", "chore", "--no-color", "--wait", "Work SLOWLY");
    await run.type(/ {2}implementing · implement · reading the task/, "");
    await writeFile(user.go, "");
    const { output, code } = await run.end();
    expect({ code, output }).toMatchObject({ code: 0 });
    const drawn = [...output.matchAll(/\u001b\[\?7l(.*?)\u001b\[\?7h/g)].map(([, line = ""]) => line);
    expect(drawn.length).toBeGreaterThan(1);
    expect(drawn.filter((line) => line.length >= COLUMNS)).toEqual([]);
    const lines = finalLines(output);
    expect(lines.filter((line) => line.includes(" · "))).toEqual([]);
    expect(lines.join("\n")).toMatch(/implement started[^]*succeeded in done[^]*Next:\n {2}nightshift diff task_/);
  });

  test.each([
    ["Ctrl-C", "\u0003"],
    ["Ctrl-D", "\u0004"],
    ["Escape", "\u001b"],
  ])("auth add stores nothing after %s", async (_, key) => {
    const run = runOnTerminal("auth", "add", "CANCELLED_KEY");
    await run.type("Value of CANCELLED_KEY", key);
    const { output, code } = await run.end();
    expect({ code, output }).toMatchObject({ code: 130, output: expect.stringContaining("Nothing was stored.") });
    expect(await readKeys()).not.toContain("CANCELLED_KEY");
  });

  test("auth add refuses several pasted lines, and stores one without showing it", async () => {
    const several = runOnTerminal("auth", "add", "PASTED_KEY");
    await several.type("Value of PASTED_KEY", "first-line\rsecond-line\r");
    expect(await several.end()).toMatchObject({ code: 2, output: expect.stringContaining("more than one line") });
    expect(await readKeys()).not.toContain("PASTED_KEY");
    const one = runOnTerminal("auth", "add", "PASTED_KEY");
    await one.type("Value of PASTED_KEY", "sk-only-line\r");
    const { output, code } = await one.end();
    expect(code).toBe(0);
    expect(output).not.toContain("sk-only-line");
    expect(await readKeys()).toContain("sk-only-line");
  });

  test("a question that is answered with Ctrl-D counts as no", async () => {
    const run = runOnTerminal("clear");
    await run.type("Remove all tasks", "\u0004");
    expect(await run.end()).toMatchObject({ code: 0, output: expect.stringContaining("Nothing was removed.") });
  });

  test("approve ends with an error if the input of the terminal is closed", async () => {
    const script = join(user.repo.path, "planner.sh");
    const plan = `{"outcome":"plan_complete","plan":"Greet everyone.","plan_summary":"Greet","subtasks":[]}`;
    await writeFile(script, `#!/bin/sh\nprintf '${plan}' > "$NIGHTSHIFT_OUTCOME_FILE"\n`, { mode: 0o755 });
    const file = `${PROJECT_FILE(user.repo.path)}roles: { plan: { agent: planner } }\n`;
    const agents = `agents:\n  planner: { kind: command, command: ["${script}"] }`;
    await writeFile(join(user.repo.checkout, "nightshift.yaml"), file.replace("agents:", agents));
    await user.run("trust", "--yes");
    const submitted = await user.run("submit", "--pipeline", "feature", "--wait", "--json", "Greet");
    const { id } = JSON.parse(submitted.stdout) as { readonly id: string };
    const run = runOnTerminal("approve", id);
    run.closeInput();
    const { output, code } = await run.end();
    expect({ code, output }).toMatchObject({ code: 2, output: expect.stringContaining("The plan was not approved.") });
    expect(await user.json("show", id)).toMatchObject({ state: "plan_review", status: "waiting" });
  });
});
