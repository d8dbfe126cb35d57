import { describe, expect, test } from "vitest";
import type { McpServers } from "../../../ports/mcp.ts";
import type { RunPaths } from "../../../ports/run-files.ts";
import type { StepContext } from "../step-context.ts";
import { planMcpServers, requirePlannedTools } from "./plan-mcp-servers.ts";

const AGENT = { capabilities: { mcp: true, sessions: true, gateway: null } };
const JIRA = {
  command: ["jira"],
  run: "outside",
  environment: {},
  secrets: ["JIRA_TOKEN"],
  tools: ["search"],
} as const;

const mcp: McpServers = {
  listTools: ({ name }) =>
    Promise.resolve(
      name === "jira"
        ? { tools: [{ name: "search", description: "" }], problem: null }
        : { tools: [], problem: `The MCP server ${name} did not start.` },
    ),
  connect: ({ server, tools }) => ({
    server: { command: server.name, args: [...tools], env: {} },
    read: [],
    programs: [],
    brokered: null,
    keys: { JIRA_TOKEN: "x" },
  }),
};

function contextWith(tools: readonly string[]): StepContext {
  const estimate = { tokens: 1, minutes: 1 };
  const plan = {
    summary: "s",
    prompt: "p",
    system_prompt: null,
    tools,
    directories: [],
    needs_git: false,
    estimate,
    reasoning: "r",
  };
  const context = {
    task: { plan },
    project: { path: "/p" },
    settings: { mcp: { jira: JIRA, down: JIRA }, sandbox: {} },
    ports: { mcp, secrets: { redact: <T>(value: T): T => value } },
  };
  // Only these parts are used.
  return context as unknown as StepContext;
}

const PATHS = {} as RunPaths;

describe("MCP servers of a run", () => {
  test("are those of the approved plan, with tools that the settings allow", () => {
    const context = contextWith(["Read", "mcp__jira__search", "mcp__jira__delete", "mcp__unknown__x"]);
    const planned = planMcpServers(context, "execute", AGENT, PATHS);
    expect(planned.servers).toEqual([
      { name: "jira", tools: ["search"], server: { command: "jira", args: ["search"], env: {} } },
    ]);
    expect(planned.keys).toEqual({ JIRA_TOKEN: "x" });
  });

  test("are none for other roles, and for agents that cannot use them", () => {
    const context = contextWith(["mcp__jira__search"]);
    expect(planMcpServers(context, "plan", AGENT, PATHS)).toMatchObject({ servers: [], keys: {} });
    const none = { capabilities: { ...AGENT.capabilities, mcp: false } };
    expect(planMcpServers(context, "execute", none, PATHS)).toMatchObject({ servers: [], keys: {} });
  });

  test("end the run before the agent starts if one of them does not start", async () => {
    await requirePlannedTools(contextWith(["mcp__jira__search"]), "execute", AGENT);
    const failing = requirePlannedTools(contextWith(["mcp__jira__search", "mcp__down__x"]), "execute", AGENT);
    await expect(failing).rejects.toMatchObject({
      outcome: { name: "agent_error", summary: expect.stringContaining("The MCP server down did not start.") },
    });
    const gone = requirePlannedTools(contextWith(["mcp__jira__gone"]), "execute", AGENT);
    await expect(gone).rejects.toMatchObject({ outcome: { name: "agent_error" } });
  });
});
