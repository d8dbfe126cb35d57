import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { SandboxSettings } from "../../core/settings/settings.ts";
import type { McpServers, NamedMcpServer } from "../../ports/mcp.ts";
import { checkMcpServers } from "../doctor/doctor-mcp.ts";
import { wireMcp } from "./wire-mcp.ts";

const PROGRAMS = join(import.meta.dirname, "../../../node_modules/.bin");
const SANDBOX: SandboxSettings = { mode: "enforce", write: [], read: [], network: [], privateHosts: [], commands: [] };
const TOKEN = ["jira", "token", "45c48cce2e2d7fbd"].join("-");

let dir: string;
let servers: McpServers;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "mcp-wire-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const env = { PATH: process.env["PATH"], HOME: dir, JIRA_TOKEN: TOKEN, ANTHROPIC_API_KEY: "not for servers" };
  servers = wireMcp({ home: join(dir, "home"), mode: "enforce", env });
});

function serverOf(changes: Partial<NamedMcpServer>): NamedMcpServer {
  const command = [join(PROGRAMS, "mcp-server-memory")];
  return { name: "memory", command, run: "inside", environment: {}, secrets: [], tools: null, ...changes };
}

/** A server that writes its environment to a file and ends. */
function spy(run: NamedMcpServer["run"]): NamedMcpServer {
  const command = [
    "sh",
    "-c",
    `echo "$(env)" >> ${join(dir, "spied")}; echo "env: $(env | sort | tr '\\n' ' ')" >&2; exit 1`,
  ];
  return serverOf({ name: "spy", run, command, environment: { REGION: "eu" }, secrets: ["JIRA_TOKEN"] });
}

function countStarts(): number {
  return readFileSync(join(dir, "spied"), "utf8").split("REGION=").length - 1;
}

describe("discovery of MCP tools", () => {
  test.each(["inside", "outside"] as const)("lists the tools of a server that runs %s", async (run) => {
    const { tools, problem } = await servers.listTools(serverOf({ run }), SANDBOX);
    expect(problem).toBeNull();
    expect(tools).toContainEqual({ name: "read_graph", description: "Read the entire knowledge graph" });
  });

  test("keeps a server inside in the sandbox, with its secrets and without the keys of the daemon", async () => {
    const { problem } = await servers.listTools(spy("inside"), SANDBOX);
    expect(problem).toContain("JIRA_TOKEN=[redacted: JIRA_TOKEN] ");
    expect(problem).toContain("REGION=eu");
    expect(problem).not.toContain("ANTHROPIC");
    expect(existsSync(join(dir, "spied"))).toBe(false);
  });

  test("gives a server outside the user's environment, without the keys of the daemon", async () => {
    await servers.listTools(spy("outside"), SANDBOX);
    const spied = readFileSync(join(dir, "spied"), "utf8");
    expect(spied).toContain(`JIRA_TOKEN=${TOKEN}`);
    expect(spied).toContain(`HOME=${dir}\n`);
    expect(spied).not.toContain("ANTHROPIC");
  });

  test("offers only the tools that the settings allow, and says which of them do not exist", async () => {
    const { tools, problem } = await servers.listTools(serverOf({ tools: ["read_graph", "fly"] }), SANDBOX);
    expect(tools.map(({ name }) => name)).toEqual(["read_graph"]);
    expect(problem).toMatch(/^The MCP server memory has no tool fly\. It has: .*read_graph/);
  });

  test("says which secret is missing without starting the server", async () => {
    const { problem } = await servers.listTools(serverOf({ secrets: ["JIRA_TOKEN", "OTHER_TOKEN"] }), SANDBOX);
    expect(problem).toContain("The MCP server memory needs OTHER_TOKEN, which is not set.");
  });

  test("reuses a result until a fresh one is asked for or the settings change", async () => {
    const counting = spy("outside");
    await Promise.all([servers.listTools(counting, SANDBOX), servers.listTools(counting, SANDBOX)]);
    await servers.listTools(counting, SANDBOX);
    expect(countStarts()).toBe(1);
    await servers.listTools(counting, SANDBOX, { fresh: true });
    expect(countStarts()).toBe(2);
    await servers.listTools({ ...counting, environment: { REGION: "us" } }, SANDBOX);
    expect(countStarts()).toBe(3);
  });
});

test("doctor lists each MCP server, and warns about one that does not start", async () => {
  const { name: _name, ...working } = serverOf({ run: "outside" });
  const mcp = { memory: working, broken: { ...working, command: ["no-such-program"] } };
  expect(await checkMcpServers({ mcp, sandbox: SANDBOX }, servers)).toEqual([
    { name: "mcp memory", ok: "yes", detail: expect.stringMatching(/^\d+ tools, outside the sandbox$/), fix: null },
    {
      name: "mcp broken",
      ok: "warn",
      detail: "The MCP server broken did not start: no-such-program cannot be started: spawn no-such-program ENOENT.",
      fix: expect.stringContaining("correct mcp.broken"),
    },
  ]);
});
