import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { usageOf } from "../../../core/money/cost.ts";
import { NO_TOKENS } from "../../../core/task/run.ts";
import { exampleRun } from "../../../testing/suites/agent.suite.ts";
import { readReport } from "../../../core/outcomes/read-outcome.ts";
import { type Role, ROLES } from "../../../core/task/role.ts";
import { scripted } from "./scripted.ts";
import { chooseStep, readScript } from "./read-script.ts";
import { BUILTIN_SCRIPTS } from "./scripted.ts";

// The part of the demo repository that the scripts use.
const DEMO = {
  "greet.sh": '#!/bin/sh\necho "Hello, day shift!"\n',
  "test.sh": '#!/bin/sh\n[ "$(sh greet.sh)" = "Hello, night shift!" ]\n',
};

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "nightshift-script-"));
  for (const [name, text] of Object.entries(DEMO)) writeFileSync(join(dir, name), text, { mode: 0o755 });
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe("built-in scripts", () => {
  it("happy fixes the demo in the first run and reports a valid outcome for every role", () => {
    expect(play("happy", "implement", 1)).toMatchObject({ code: 0, outcome: "implemented", passes: true });
    expect(statSync(join(dir, "greet.sh")).mode & 0o111).not.toBe(0);
    for (const role of ROLES) expect(play("happy", role, 1).outcome).not.toBeNull();
  });

  it("fails-then-passes needs a second run, and still passes in a third", () => {
    expect(play("fails-then-passes", "implement", 1)).toMatchObject({ outcome: "implemented", passes: false });
    expect(play("fails-then-passes", "implement", 2)).toMatchObject({ outcome: "implemented", passes: true });
    expect(play("fails-then-passes", "implement", 3)).toMatchObject({ outcome: "implemented", passes: true });
  });

  it("asks changes no file before it has an answer", () => {
    expect(play("asks", "implement", 1)).toMatchObject({ outcome: "needs_info", passes: false });
    expect(readFileSync(join(dir, "greet.sh"), "utf8")).toBe(DEMO["greet.sh"]);
    expect(play("asks", "implement", 2)).toMatchObject({ outcome: "implemented", passes: true });
  });

  it("lies claims success with a failing test, then without any change", () => {
    expect(play("lies", "implement", 1)).toMatchObject({ outcome: "implemented", passes: false });
    const before = readFileSync(join(dir, "greet.sh"), "utf8");
    expect(play("lies", "implement", 2)).toMatchObject({ outcome: "implemented", passes: false });
    expect(readFileSync(join(dir, "greet.sh"), "utf8")).toBe(before);
  });

  it.each(BUILTIN_SCRIPTS)("%s covers the roles of the pipeline chore", (script) => {
    for (const role of ["implement", "review", "request_changes"] as const)
      expect(play(script, role, 1)).toMatchObject({ code: 0 });
  });
});

describe("play-script", () => {
  it("reads the prompt, prints events and reports a cost of 0", () => {
    const { events } = play("happy", "implement", 1);
    expect(events[0]).toEqual({
      type: "text",
      text: `playing the role implement, run 1, after a prompt of ${PROMPT.length} bytes`,
    });
    expect(events).toContainEqual({ type: "file_change", path: "greet.sh", change: "modified" });
    // The output of a command is printed between its call and its result.
    expect(events).toContainEqual({ type: "text", text: "Hello, night shift!" });
    const before = { tokens: NO_TOKENS, costUsd: 0 };
    const usage = usageOf({ events, metered: [], before, model: null, prices: {} });
    expect(usage).toMatchObject({ costUsd: 0, basis: "reported" });
  });

  it("prints thoughts and the usage that the step states", () => {
    const usage = { input: 1200, output: 80, cache_read: 9000, cost_usd: 0.04 };
    const { events } = play(
      write("s.json", JSON.stringify([{ role: "implement", think: "hm", usage }])),
      "implement",
      1,
    );
    expect(events).toContainEqual({ type: "thinking", text: "hm" });
    const found = usageOf({ events, metered: [], before: { tokens: NO_TOKENS, costUsd: 0 }, model: null, prices: {} });
    expect(found).toMatchObject({ costUsd: 0.04, tokens: { input: 1200, output: 80, cacheRead: 9000, cacheWrite: 0 } });
  });

  it("writes, appends to and deletes files, runs commands, waits and exits as the step defines", () => {
    const script = write(
      "s.yaml",
      [
        "- role: implement",
        "  delay: 200ms",
        "  files: { new/deep.txt: one, greet.sh: { append: '# more' }, test.sh: null }",
        "  commands: ['cp new/deep.txt copy.txt']",
        "  exit: 7",
      ].join("\n"),
    );
    const started = performance.now();
    expect(play(script, "implement", 1)).toMatchObject({ code: 7, outcome: null });
    expect(performance.now() - started).toBeGreaterThan(200);
    expect(readFileSync(join(dir, "copy.txt"), "utf8")).toBe("one");
    expect(readFileSync(join(dir, "greet.sh"), "utf8")).toBe(`${DEMO["greet.sh"]}# more`);
    expect(existsSync(join(dir, "test.sh"))).toBe(false);
  });

  it("does not pass NODE_COMPILE_CACHE on to its commands", () => {
    const script = write("s.json", '[{"role":"implement","commands":["env > env.txt"]}]');
    expect(play(script, "implement", 1)).toMatchObject({ code: 0 });
    expect(readFileSync(join(dir, "env.txt"), "utf8")).toMatch(
      /^(?=[^]*NIGHTSHIFT_ROLE=implement)(?![^]*NODE_COMPILE_CACHE)/,
    );
  });

  it("writes a raw report unchanged", () => {
    play(write("s.json", '[{"role":"implement","raw":"{broken"}]'), "implement", 1);
    expect(readFileSync(join(dir, "outcome.json"), "utf8")).toBe("{broken");
  });

  it("exits with the code of a failing command, without an outcome", () => {
    const script = write(
      "s.json",
      '[{"role":"implement","commands":["exit 3","touch never"],"outcome":{"outcome":"implemented","summary":"x"}}]',
    );
    expect(play(script, "implement", 1)).toMatchObject({ code: 3, outcome: null });
    expect(existsSync(join(dir, "never"))).toBe(false);
  });

  it.each([
    ["no step for the role", '[{"role":"plan"}]', 'no step for the role "implement"'],
    ["broken JSON", "[{", "JSON"],
    ["an unknown key", '[{"role":"implement","file":{}}]', "step 1: unknown key `file`"],
    ["a wrong delay", '[{"role":"implement","delay":"soon"}]', "`delay` must be a duration"],
    ["a wrong usage", '[{"role":"implement","usage":{"cost":1}}]', "`usage` must have numbers"],
    ["a negative usage", '[{"role":"implement","usage":{"input":-1}}]', "`usage` must have numbers"],
    ["no steps", "{}", "must contain a list of steps"],
  ])("explains the problem of a script with %s", (_, text, message) => {
    const { code, errors } = play(write("s.json", text), "implement", 1);
    expect(code).toBe(64);
    expect(errors).toContain(message);
  });
});

describe("chooseStep", () => {
  it("plays a role's steps one per run and repeats the last", async () => {
    const steps = await readScript(
      write("s.json", '[{"role":"plan"},{"role":"implement","exit":1},{"role":"implement","exit":2}]'),
    );
    expect([0, 1, 2, 3, 99].map((attempt) => chooseStep(steps, "implement", attempt)?.exit)).toEqual([1, 1, 2, 2, 2]);
    expect(chooseStep(steps, "review", 1)).toBeNull();
  });
});

const PROMPT = "Do it.\n";

/** Runs the agent like the supervisor: with its argv, its own environment and the prompt on stdin. */
function play(script: string, role: Role, attempt: number) {
  const agent = scripted({ script });
  const { argv, env } = agent.command(exampleRun(role));
  const outcomeFile = join(dir, "outcome.json");
  rmSync(outcomeFile, { force: true });
  const [program, ...args] = argv;
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: dir,
    input: PROMPT,
    encoding: "utf8",
    env: {
      ...env,
      PATH: process.env["PATH"],
      NIGHTSHIFT_ROLE: role,
      NIGHTSHIFT_ATTEMPT: String(attempt),
      NIGHTSHIFT_OUTCOME_FILE: outcomeFile,
    },
  });
  const passes = spawnSync("sh", ["test.sh"], { cwd: dir }).status === 0;
  const events = stdout
    .split("\n")
    .filter((line) => line !== "")
    .flatMap((line) => agent.parseLine(line));
  return { code: status, errors: stderr, events, passes, outcome: reported(outcomeFile, role) };
}

function reported(file: string, role: Role): string | null {
  if (!existsSync(file)) return null;
  const text = readFileSync(file, "utf8");
  if (text === "{broken") return null;
  const report = readReport(JSON.parse(text), { role, plan: "document" });
  if (!report.ok) throw new Error(report.problem);
  return report.outcome.name;
}

function write(name: string, text: string): string {
  writeFileSync(join(dir, name), text);
  return join(dir, name);
}
