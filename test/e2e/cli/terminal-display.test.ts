import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createUser, PROJECT_FILE, type User } from "../../support/cli-user.ts";
import { COLUMNS, hasScript, runOnTerminal } from "../../support/terminal.ts";

let user: User;
let id: string;

const RESULT = Array.from({ length: 128 }, (_, index) => `line ${index + 1}`).join("\n");
const EVENTS = [
  { type: "session", id: "s-1", version: "9.1", model: "m-1", tools: ["Bash", "Read"], directory: "/repo" },
  { type: "thinking", text: "hm" },
  { type: "text", text: "# Goal\n\nMake it **fast**. \u001b]8;;http://evil\u0007link\u001b]8;;\u0007\u009b2J\u202e" },
  { type: "tool_call", id: "1", name: "Bash", input: { command: "make", timeout: 5 } },
  { type: "tool_result", id: "1", output: RESULT, failed: false },
  { type: "usage", tokens: { input: 1200, output: 34 }, cost_usd: 0.12, model: "m-1" },
];

beforeAll(async () => {
  user = await createUser();
  const script = join(user.repo.path, "talker.sh");
  const events = join(user.repo.path, "events.jsonl");
  await writeFile(events, EVENTS.map((event) => `${JSON.stringify(event)}\n`).join(""));
  await writeFile(
    script,
    `#!/bin/sh\ncat > /dev/null\ncat '${events}'\necho hello > hello.txt\nprintf '{"outcome":"implemented","summary":"done"}' > "$NIGHTSHIFT_OUTCOME_FILE"\n`,
    { mode: 0o755 },
  );
  const file = PROJECT_FILE(user.repo.path).replace("/agent.sh", "/talker.sh");
  await writeFile(join(user.repo.checkout, "nightshift.yaml"), file);
  await user.run("init", "--yes", "--no-run");
  const submitted = await user.json<{ readonly id: string }>("submit", "--pipeline", "chore", "--wait", "Greet");
  id = submitted.id;
});

afterAll(() => user.cleanUp());

/** A pager that marks what goes through it. */
const MARKING = { PAGER: "sed 's/^/paged:/'" };

describe("display", { timeout: 120_000 }, () => {
  test("in a pipe it shows the session, tool calls with parameters, folded results and a table of the usage", async () => {
    const { stdout, code } = await user.run("display", id);
    expect(code).toBe(0);
    expect(stdout).toContain("▸ version 9.1, model m-1, session s-1\n▸ directory: /repo\n▸ 2 tools\n│   Bash, Read\n");
    expect(stdout).toContain("▸ Bash make\n│   timeout: 5\n│   line 1\n");
    expect(stdout).toContain("│   line 8\n│   … 120 more lines\n");
    expect(stdout).toMatch(/▸ implemented · [\d.]+ m?s · \$0\.12\n/);
    expect(stdout).toMatch(/\nUsage\nRUN .*\nrun_\w+ +implement +mine .* 1,200 +34 .*\$0\.12 +reported\n/);
    expect((await user.run("display", id, "--full")).stdout).toContain("│   line 128\n");
  });

  test("escape sequences, links and marks of the agent do not reach the output", async () => {
    const { stdout } = await user.run("display", id);
    expect(stdout).toContain("│ Make it **fast**. link\n");
    // oxlint-disable-next-line no-control-regex -- matches control characters
    expect(stdout).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]|evil/u);
  });
});

describe.skipIf(!hasScript)("display on a terminal", { timeout: 120_000 }, () => {
  test("it renders Markdown and goes through the pager of the person", async () => {
    const { output, code } = await runOnTerminal(user, ["display", id], MARKING).end();
    expect(code).toBe(0);
    expect(output).toContain("\u001b[1mGoal");
    const lines = output
      .replaceAll(/\u001b\[\d+m/g, "")
      .trim()
      .split(/\r?\n/);
    expect(lines.length).toBeGreaterThan(20);
    expect(lines.filter((line) => !line.startsWith("paged:"))).toEqual([]);
    // Paths are not cut, so that they can be copied.
    const texts = lines.filter((line) => !line.includes("▸ log: "));
    expect(texts.filter((line) => line.length > COLUMNS + "paged:".length)).toEqual([]);
  });

  test.each([["--no-pager"], ["--follow"], ["--quiet"], ["--json"]])("%s does not use the pager", async (option) => {
    const { output, code } = await runOnTerminal(user, ["display", id, option], MARKING).end();
    expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining("line 1") });
    expect(output).not.toContain("paged:");
  });

  test("it prints directly if the pager does not exist, and ends quietly if the pager is closed early", async () => {
    const missing = await runOnTerminal(user, ["display", id], { PAGER: "no-such-pager" }).end();
    expect(missing).toMatchObject({ code: 0, output: expect.stringContaining("Usage") });
    const closed = await runOnTerminal(user, ["display", id], { PAGER: "head -n 1" }).end();
    expect(closed.code).toBe(0);
    expect(closed.output.trim().split("\n")).toHaveLength(1);
  });
});

const PLAN = {
  outcome: "plan_complete",
  summary: "Write a report.",
  prompt: "Write reports/parsers.md.",
  system_prompt: "",
  tools: ["Write"],
  directories: ["reports"],
  network: [],
  needs_git: false,
  estimate: { tokens: 1000, minutes: 1, usd: 0.5 },
  reasoning: "One file.",
};

describe.skipIf(!hasScript)("a staged task on a terminal", { timeout: 120_000 }, () => {
  test("submit shows the plan, asks about it, and shows the answer and the files after the approval", async () => {
    const script = join(user.repo.path, "planner.sh");
    await writeFile(
      script,
      `#!/bin/sh
cat > /dev/null
case $NIGHTSHIFT_ROLE in
plan) printf '%s' '${JSON.stringify(PLAN)}' > "$NIGHTSHIFT_OUTCOME_FILE" ;;
*) mkdir -p reports; echo B > reports/parsers.md
printf '{"outcome":"completed","summary":"done","result":"Parser B is the fastest."}' > "$NIGHTSHIFT_OUTCOME_FILE" ;;
esac
`,
      { mode: 0o755 },
    );
    const file = PROJECT_FILE(user.repo.path).replace("/agent.sh", "/planner.sh");
    await writeFile(join(user.repo.checkout, "nightshift.yaml"), file);
    await user.run("trust", "--yes", "--no-run");
    const terminal = runOnTerminal(user, ["submit", "--no-color", "Compare the parsers"]);
    await terminal.type("What should happen with this plan?", "\r");
    const { output, code } = await terminal.end();
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(output).toMatch(/Prompt\r?\n {4}Write reports\/parsers\.md\./);
    expect(output).toMatch(/Estimate +1,000 tokens, 1 min, \$0\.50/);
    expect(output).toMatch(/Result · 24 B\r?\n {2}Parser B is the fastest\./);
    expect(output).toMatch(/reports\/parsers\.md +created/);
    expect(output).toMatch(/nightshift apply task_/);
  });
});
