import { mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { chooseOption, decideCall } from "./permissions.ts";
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
  startMs: 1,
};
const REVIEWER: AcpRules = { ...WORKER, mayWrite: false, tools: ["Read", "Bash(git log:*)"], commands: ["git"] };

const at = (kind: string, path: string) => ({ kind, title: "t", locations: [{ path }] });
const run = (command: unknown) => ({ kind: "execute", title: "sh", rawInput: { command } });

describe("judgeCall", () => {
  it.each([
    ["an edit in the workspace", at("edit", `${workspace}/a`)],
    ["an edit of the report", at("edit", "/report/outcome.json")],
    ["a look at what may be read", at("read", "/docs/a")],
    ["a command", run("npm test && ls")],
    ["a command that a rule binds", run("sbt compile")],
    ["a tool of a server", { kind: "other", title: "report_outcome" }],
  ])("lets a worker do %s", (_, call) => {
    expect(decideCall(call, WORKER)).toBeNull();
  });

  it.each([
    ["an edit outside", at("edit", "/etc/passwd")],
    ["an edit of what may only be read", at("edit", "/docs/a")],
    ["an edit by a link", at("edit", `${workspace}/link/passwd`)],
    ["an edit by dots", at("delete", `${workspace}/../x`)],
    [
      "an edit whose diff goes elsewhere",
      { ...at("edit", `${workspace}/a`), content: [{ type: "diff", path: "/etc/x" }] },
    ],
    ["a look outside", at("read", "/etc/shadow")],
    ["another use of a bound command", run("sbt publish")],
    ["another use of it, as words", run(["sbt", "publish"])],
    ["another use of it, told by the title only", { kind: "execute", title: "sbt publish" }],
    ["another mode", { kind: "switch_mode", title: "bypass" }],
  ])("keeps a worker from %s", (_, call) => {
    expect(decideCall(call, WORKER)).toMatch(/\.$/);
  });

  it.each([
    ["a look", at("read", `${workspace}/a`)],
    ["its report", at("edit", "/report/outcome.json")],
    ["a command that it is given", run("git log -3")],
  ])("lets a reviewer have %s", (_, call) => {
    expect(decideCall(call, REVIEWER)).toBeNull();
  });

  it.each([
    ["an edit", at("edit", `${workspace}/a`)],
    ["an edit of who knows what", { kind: "edit", title: "edit" }],
    ["a report beside an edit", { kind: "edit", locations: [{ path: "/report/x" }, { path: `${workspace}/a` }] }],
    ["a command", run("npm test")],
    ["a command behind one that it may run", run("git log; npm test")],
    ["a command that nobody names", { kind: "execute" }],
  ])("keeps a reviewer from %s", (_, call) => {
    expect(decideCall(call, REVIEWER)).toMatch(/\.$/);
  });
});

describe("chooseOption", () => {
  const options = [
    { optionId: "a", kind: "allow_always" },
    { optionId: "o", kind: "allow_once" },
    { optionId: "n", kind: "reject_always" },
  ];

  it("says yes to no more than was asked, where it can", () => {
    expect(chooseOption(options, true)).toBe("o");
    expect(chooseOption(options.slice(0, 1), true)).toBe("a");
  });

  it("never takes a yes for a no", () => {
    expect(chooseOption(options, false)).toBe("n");
    expect(chooseOption(options.slice(0, 2), false)).toBeNull();
    expect(chooseOption("what", false)).toBeNull();
  });
});
