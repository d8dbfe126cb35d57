import { mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { chooseOption, checkCall } from "./permissions.ts";
import type { AcpRules } from "./rules.ts";

const workspace = realpathSync(mkdtempSync(join(tmpdir(), "acp-rules-")));
symlinkSync("/etc", join(workspace, "link"));
afterAll(() => rmSync(workspace, { recursive: true, force: true }));

const WORKER: AcpRules = {
  command: [],
  workspace,
  mayWrite: true,
  write: ["/report"],
  read: ["/docs"],
  tools: ["Bash", "Edit"],
  commands: ["git", "sbt compile"],
  model: null,
  session: { kind: "new", id: "1" },
  reportServer: null,
  startTimeoutMs: 1,
};
const REVIEWER: AcpRules = { ...WORKER, mayWrite: false, tools: ["Read", "Bash(git log:*)"], commands: ["git"] };

const at = (kind: string, path: string) => ({ kind, title: "t", locations: [{ path }] });
const run = (command: unknown) => ({ kind: "execute", title: "sh", rawInput: { command } });

describe("checkCall", () => {
  it.each([
    ["edit a file in the workspace", at("edit", `${workspace}/a`)],
    ["edit the report", at("edit", "/report/outcome.json")],
    ["read an allowed path", at("read", "/docs/a")],
    ["run an unrestricted command", run("npm test && ls")],
    ["run an allowed restricted command", run("sbt compile")],
    ["call a tool of an MCP server", { kind: "other", title: "report_outcome" }],
  ])("a worker may %s", (_, call) => {
    expect(checkCall(call, WORKER)).toBeNull();
  });

  it.each([
    ["edit a file outside the workspace", at("edit", "/etc/passwd")],
    ["edit a read-only file", at("edit", "/docs/a")],
    ["edit a file outside through a link", at("edit", `${workspace}/link/passwd`)],
    ["delete a file outside through `..`", at("delete", `${workspace}/../x`)],
    [
      "edit with a diff outside the workspace",
      { ...at("edit", `${workspace}/a`), content: [{ type: "diff", path: "/etc/x" }] },
    ],
    ["read a file outside the workspace", at("read", "/etc/shadow")],
    ["run a restricted command with other arguments", run("sbt publish")],
    ["run it as a list of words", run(["sbt", "publish"])],
    ["run it with the command only in the title", { kind: "execute", title: "sbt publish" }],
    ["switch the mode", { kind: "switch_mode", title: "bypass" }],
  ])("a worker must not %s", (_, call) => {
    expect(checkCall(call, WORKER)).toMatch(/\.$/);
  });

  it.each([
    ["read a file", at("read", `${workspace}/a`)],
    ["edit its report", at("edit", "/report/outcome.json")],
    ["run a listed command", run("git log -3")],
  ])("a reviewer may %s", (_, call) => {
    expect(checkCall(call, REVIEWER)).toBeNull();
  });

  it.each([
    ["edit a file", at("edit", `${workspace}/a`)],
    ["edit without a path", { kind: "edit", title: "edit" }],
    [
      "edit a file together with the report",
      { kind: "edit", locations: [{ path: "/report/x" }, { path: `${workspace}/a` }] },
    ],
    ["run a command that is not listed", run("npm test")],
    ["run such a command after a listed one", run("git log; npm test")],
    ["run an unnamed command", { kind: "execute" }],
  ])("a reviewer must not %s", (_, call) => {
    expect(checkCall(call, REVIEWER)).toMatch(/\.$/);
  });
});

describe("chooseOption", () => {
  const options = [
    { optionId: "a", kind: "allow_always" },
    { optionId: "o", kind: "allow_once" },
    { optionId: "n", kind: "reject_always" },
  ];

  it("prefers to allow a single call", () => {
    expect(chooseOption(options, true)).toBe("o");
    expect(chooseOption(options.slice(0, 1), true)).toBe("a");
  });

  it("never denies with an option that allows", () => {
    expect(chooseOption(options, false)).toBe("n");
    expect(chooseOption(options.slice(0, 2), false)).toBeNull();
    expect(chooseOption("what", false)).toBeNull();
  });
});
