import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { checkToolCall } from "./guard-program.ts";
import type { GuardRules, ToolCall } from "./guard-program.ts";
import { guardFile, guardSettings } from "./guard.ts";

let folder: string;
let workspace: string;
let rules: GuardRules;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-guard-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  workspace = join(folder, "work");
  for (const name of ["work", "work/src", "work-not", "given", "outcome"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "work-not", "secret"), "");
  rules = { workspace, write: [join(folder, "outcome")], read: [join(folder, "given")], commands: null, shell: null };
});

function ask(tool: string, input: ToolCall["input"], changes: Partial<GuardRules> = {}): string | null {
  const call = { tool, input, cwd: join(workspace, "src"), home: join(folder, "home") };
  return checkToolCall(call, { ...rules, ...changes });
}

const read = (path: string) => ask("Read", { file_path: path });

describe("guard: paths", () => {
  test("allows paths in the workspace and other allowed folders, even if they do not exist", () => {
    const fine = [workspace, `${workspace}/src/a.ts`, "a.ts", "../b.ts", "", "new/deep/file", `${folder}/given/x`];
    expect(fine.map(read)).toEqual(fine.map(() => null));
    expect(ask("Write", { file_path: `${folder}/outcome/o.json` })).toBeNull();
  });

  test("denies paths outside the workspace in any spelling", () => {
    const ways = [
      "/etc/passwd",
      "../../x",
      `${workspace}/../work-not/secret`,
      `${workspace}-not/secret`,
      "~/.ssh/id",
      "~",
    ];
    for (const path of [...ways, "/", " /etc/passwd", `${folder}/work-not/secret `]) {
      expect(read(path), path).toBe(`${path} is outside the workspace ${workspace}; work only there.`);
    }
  });

  test("denies writing to read-only folders", () => {
    for (const [tool, field] of [
      ["Write", "file_path"],
      ["Edit", "file_path"],
      ["MultiEdit", "file_path"],
      ["NotebookEdit", "notebook_path"],
    ] as const) {
      expect(ask(tool, { [field]: `${folder}/given/x` }), tool).toMatch(/outside the workspace/);
      expect(ask(tool, { [field]: "x" }), tool).toBeNull();
    }
  });

  test("follows links to folders, files and missing targets, and rejects circular links", () => {
    const links = {
      out: "../work-not",
      file: "/etc/passwd",
      gone: "/nowhere/at/all",
      chain: "out",
      back: "src",
      "work-not": "src",
    };
    for (const [name, target] of Object.entries(links)) symlinkSync(target, join(workspace, name));
    for (const path of ["out/secret", "out/new", "file", "gone", "gone/x", "chain/secret", "out/../src"]) {
      expect(read(`${workspace}/${path}`), path).toMatch(/outside/);
    }
    expect(read(join(workspace, "back/a.ts"))).toBeNull();
    symlinkSync("circle", join(workspace, "circle"));
    expect(() => read(join(workspace, "circle"))).toThrow(/link|ELOOP/);
  });

  test("accepts a link as the workspace", () => {
    symlinkSync(workspace, join(folder, "alias"));
    const alias = { workspace: join(folder, "alias") };
    for (const name of ["alias", "work"]) {
      expect(ask("Read", { file_path: join(folder, name, "x") }, alias)).toBeNull();
    }
    expect(ask("Read", { file_path: join(folder, "given/../work-not/secret") }, alias)).toMatch(/outside/);
  });

  test("denies search patterns that may match files outside the workspace", () => {
    for (const input of [
      { pattern: "**/*.ts" },
      { pattern: "src/*", path: workspace },
      { pattern: `${workspace}/src/*` },
    ]) {
      expect(ask("Glob", input), input.pattern).toBeNull();
    }
    for (const pattern of ["/etc/*", "../../*", "*/../../../x", "{/etc,src}/*", "{a,../..}/*"]) {
      expect(ask("Glob", { pattern }), pattern).toMatch(/outside the workspace/);
    }
    expect(ask("Glob", { pattern: "*", path: "/" })).toMatch(/outside/);
    expect(ask("Grep", { pattern: "/etc/../..", path: "." })).toBeNull();
    expect(ask("Grep", { pattern: "x", path: "/etc" })).toMatch(/outside/);
    expect(ask("Grep", { pattern: "x", glob: "../../*" })).toMatch(/outside the workspace/);
    expect(ask("LS", {})).toBeNull();
  });

  test("throws for an unknown tool or a missing path", () => {
    for (const [tool, input] of [
      ["Teleport", {}],
      ["toString", {}],
      ["Read", {}],
      ["Read", { file_path: 5 }],
      ["Glob", { pattern: "*", path: null }],
    ] as const) {
      expect(() => ask(tool, input), tool).toThrow(/unknown tool|has no text/);
    }
    expect(() => read("a\0b")).toThrow(/null bytes/);
  });
});

describe("guard: commands", () => {
  const commands = ["git", "sbt compile", "sbt test", "npm run lint"];
  const shell = (command: string) => ask("Bash", { command }, { commands });

  test.each([
    "ls -la; cat x | grep y > z 2>&1",
    "git push --force",
    "sbt compile",
    "sbt   test 2>&1 | tee log",
    "cd src && sbt compile && git status",
    "A=1 sbt test",
    "if sbt compile; then echo yes; fi",
    "(sbt compile)",
    "/usr/bin/sbt compile",
    "env X=1 sbt compile",
    "sh -c 'cd src; sbt compile'",
    "timeout 60 npm run lint",
    "echo 'sbt is slow'",
    "sbt compile > out.log # and no more",
    "cat <<EOF\nno program of a rule here\nEOF",
  ])("allowed: %s", (command) => {
    expect(shell(command)).toBeNull();
  });

  test.each([
    "sbt",
    "sbt run",
    "ls && sbt publish",
    "ls\nsbt publish",
    "echo x | sbt run",
    "sbt -Dx=1 compile",
    "A=1 sbt run",
    "/opt/sbt/bin/sbt run",
    "s'b't run",
    '"sbt" run',
    "env sbt run",
    "find . -exec sbt run \\;",
    "sh -c 'sbt run'",
    'bash -lc "cd x && npm publish"',
    "! sbt run",
    "{ sbt run; }",
    "(sbt run)",
    "echo `sbt run`",
    "echo $(sbt run)",
    "npm run",
    "npm run lint-all",
  ])("not allowed: %s", (command) => {
    expect(shell(command)).toMatch(/is not allowed here\. You may run: .*(sbt compile|npm run lint)/);
  });

  test.each(['echo "$(sbt run)"', "x=sbt; $x run", "sbt 'open", "sh <<EOF\nsbt run\nEOF"])(
    "too complex to check: %s",
    (command) => {
      expect(shell(command)).toMatch(/^This command is too complex to check\. You may run: sbt compile, sbt test; /);
    },
  );

  test("allows every command without rules", () => {
    expect(ask("Bash", { command: "sbt 'open" })).toBeNull();
  });
});

const checkShell = (command: string) => ask("Bash", { command }, { shell: ["git log:*", "git show:*", "npm test"] });

describe("guard: restricted shell", () => {
  test.each([
    "git log",
    "git log --oneline -3 -- src",
    " git show HEAD:a.txt ",
    "git log --grep='a; b' 2>/dev/null",
    "npm test",
    "git log; git show\ngit log",
  ])("allows %s", (command) => expect(checkShell(command)).toBeNull());

  test.each([
    "git status",
    "git",
    "ls",
    "git -c alias.log='!sh' log",
    "git log | sh",
    "git log && touch x",
    "git log & touch x",
    "git log $(touch x)",
    "git log `touch x`",
    'git log "$(touch x)"',
    "git log <(touch x)",
    "git log\ntouch x",
    "GIT_EXTERNAL_DIFF=./x git log",
    "./git log",
    "/w/git log",
    "$X log",
    "(touch x)",
    "if git log; then touch x; fi",
    "env git log",
    "npm test -- --watch",
    "git logs",
    "git 'log",
  ])("denies %s", (command) => {
    expect(checkShell(command)).toMatch(/^Only these shell commands are allowed: `git log`, `git show`, `npm test`\./);
  });

  test("denies every command if none is listed", () => {
    expect(ask("Bash", { command: "git log" }, { shell: [] })).toMatch(/^No shell command is allowed\./);
  });
});

function runGuard(input: string, argument = JSON.stringify(rules)) {
  return spawnSync(process.execPath, [guardFile(), argument], { input, encoding: "utf8", timeout: 20_000 });
}
const readCall = (path: string) =>
  JSON.stringify({ tool_name: "Read", tool_input: { file_path: path }, cwd: workspace });

describe("guard: program", () => {
  test("prints a denial in claude's format, and nothing for allowed calls", () => {
    const { stdout, status } = runGuard(readCall("/etc/passwd"));
    expect([JSON.parse(stdout), status]).toEqual([
      {
        hookSpecificOutput: {
          hookEventName: "PreToolUse",
          permissionDecision: "deny",
          permissionDecisionReason: `/etc/passwd is outside the workspace ${workspace}; work only there.`,
        },
      },
      0,
    ]);
    expect(runGuard(readCall("a.ts"))).toMatchObject({ stdout: "", stderr: "", status: 0 });
  });

  test("reads large tool calls", () => {
    const content = "x".repeat(5_000_000);
    const input = { tool_name: "Write", tool_input: { file_path: "big", content }, cwd: workspace };
    expect(runGuard(JSON.stringify(input))).toMatchObject({ stdout: "", status: 0 });
  });

  test.each([
    ["no input", "", undefined],
    ["invalid JSON", '{"tool_name":', undefined],
    ["null", "null", undefined],
    ["a call without a tool", "{}", undefined],
    ["no rules", "{}", ""],
    ["rules without a workspace", "{}", "{}"],
  ])("denies the call for %s", (_, input, argument) => {
    const { status, stderr, stdout } = runGuard(input, argument);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^The workspace guard failed, so the call is denied: /);
  });

  test("denies the call if no input arrives before the timeout", async () => {
    const child = spawn(process.execPath, [guardFile(), JSON.stringify(rules)], {
      stdio: ["pipe", "ignore", "ignore"],
    });
    const [code] = (await once(child, "exit")) as [number | null];
    expect(code).toBe(2);
  });

  test("denies the call if the rules are incomplete", () => {
    expect(runGuard(readCall("/etc/passwd"), JSON.stringify({ workspace })).status).toBe(2);
    const { shell: _, ...rest } = rules;
    expect(runGuard(readCall(`${workspace}/a`), JSON.stringify(rest)).status).toBe(2);
  });
});

test("guard: the settings quote special characters in paths and block on failure", () => {
  const odd = { ...rules, workspace: `${workspace}/it's "odd" $(x)` };
  mkdirSync(odd.workspace);
  const { hooks } = guardSettings({ node: process.execPath, guardFile: guardFile(), ...odd });
  const [entry] = hooks.PreToolUse;
  const [hook] = entry?.hooks ?? [];
  expect(hook).toMatchObject({ type: "command", onFailure: "block" });
  expect("Read Edit MultiEdit Write NotebookEdit LS Glob Grep Bash".split(" ").toSorted()).toEqual(
    entry?.matcher.split("|").toSorted(),
  );
  const input = JSON.stringify({ tool_name: "Read", tool_input: { file_path: "/x" }, cwd: odd.workspace });
  const { stdout } = spawnSync("sh", ["-c", hook?.command ?? ""], { input, encoding: "utf8" });
  expect(stdout).toContain(JSON.stringify(odd.workspace).slice(1, -1));
});
