import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ALICE } from "../support/night.ts";
import { openAgentNight, readAllFiles } from "./agent-night.ts";
import { REAL_AGENTS, useTools } from "./real-agents.ts";

const { claude } = REAL_AGENTS;
const PROGRAMS = join(import.meta.dirname, "../../node_modules/.bin");
const PLAN = {
  outcome: "plan_complete",
  summary: "Remember the project.",
  prompt: "Create an entity and a note.",
  system_prompt: null,
  tools: ["Bash", "mcp__memory__create_entities", "mcp__files__write_file"],
  directories: ["notes"],
  network: [],
  needs_git: false,
  estimate: { tokens: 1000, minutes: 1, usd: 0.1 },
  reasoning: "Two calls.",
};
const ENTITY = { name: "nightshift", entityType: "project", observations: ["was here"] };

/** Run by the agent's shell: speaks to the broker like the bridge does, and asks for what the plan does not include. */
const ATTACK = `
const { connect } = require("node:net");
const { readdirSync, readFileSync } = require("node:fs");
const call = (id, method, params) => JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\\n";
const socket = connect("/run/nightshift/mcp.sock");
socket.write("serve memory\\n" + call(1, "initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "x", version: "1" } }));
socket.write(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }) + "\\n");
socket.write(call(2, "tools/list", {}) + call(3, "tools/call", { name: "delete_entities", arguments: { entityNames: ["nightshift"] } }));
socket.write(call(4, "resources/list", {}));
let said = "";
socket.on("data", (data) => { said += data; if (said.includes('"id":4')) socket.end(); });
socket.on("close", () => {
  console.log("SAID " + said);
  const secrets = connect("/run/nightshift/mcp.sock");
  secrets.write("secrets memory\\n");
  let given = "";
  secrets.on("data", (data) => { given += data; });
  secrets.on("close", () => {
    const environments = readdirSync("/proc").filter((name) => /^\\d+$/.test(name)).map((pid) => {
      try { return readFileSync("/proc/" + pid + "/environ", "latin1"); } catch { return ""; }
    });
    console.log("GIVEN[" + given + "] VISIBLE[" + environments.filter((text) => text.includes(["MEMORY", "TOKEN"].join("_"))).length + "]");
  });
});
`;

test("claude uses exactly the planned tools of MCP servers inside and outside of the sandbox", async () => {
  const outside = mkdtempSync(join(tmpdir(), "mcp-memory-"));
  onTestFinished(() => rmSync(outside, { recursive: true }));
  const memoryFile = join(outside, "memory.jsonl");
  const token = ["mcp", "secret", "9f86d081884c"].join("-");
  const night = await openAgentNight(claude, {
    env: { MEMORY_TOKEN: token },
    settings: `mcp: ${JSON.stringify({
      memory: {
        command: [join(PROGRAMS, "mcp-server-memory")],
        run: "outside",
        environment: { MEMORY_FILE_PATH: memoryFile },
        secrets: ["MEMORY_TOKEN"],
      },
      files: { command: [join(PROGRAMS, "mcp-server-filesystem"), "."] },
      broken: { command: ["sh", "-c", "echo no database >&2; exit 3"] },
    })}\n`,
    turns: [
      useTools(claude.report({ ...PLAN, tools: ["mcp__memory__forget", "mcp__broken__query"] })),
      { text: "Planned." },
      useTools(claude.report(PLAN)),
      { text: "Planned again." },
      useTools({ name: "mcp__memory__create_entities", input: { entities: [ENTITY] } }),
      useTools({ name: "mcp__memory__delete_entities", input: { entityNames: ["nightshift"] } }),
      useTools({ name: "mcp__files__write_file", input: { path: "notes/made.txt", content: "hello" } }),
      useTools(claude.shell(`node -e '${ATTACK.replaceAll("'", `'"'"'`)}'; env`)),
      useTools(claude.report({ outcome: "completed", summary: "Done.", result: "Remembered." })),
      { text: "Done." },
    ],
  });
  const waiting = await night.settled((await night.submit({ pipeline: "staged" })).id);
  expect(waiting, waiting.reason ?? "").toMatchObject({ state: "staged", waitingFor: { kind: "approval" } });
  const [first] = await night.runs(waiting.id);
  expect(first?.error).toContain(
    'Tool "mcp__memory__forget" does not exist. The MCP server memory has: create_entities,',
  );
  expect(first?.error).toContain(
    'Tool "mcp__broken__query" is not available. The MCP server broken did not start: it ended with exit code 3 (its last error message: no database)',
  );
  const asked = JSON.stringify(night.model.requests.at(0)?.body);
  expect(asked).toContain("mcp__memory__create_entities: Create multiple new entities");
  expect(asked).toContain("mcp__files__write_file: ");
  expect(asked).toContain("The MCP server broken did not start");

  await night.commands.approve(waiting.id, waiting.planHash, ALICE);
  const task = await night.settled(waiting.id);
  expect(task, task.reason ?? "").toMatchObject({ status: "succeeded", outcome: "completed" });
  const run = (await night.runs(task.id)).at(-1);
  const events = run === undefined ? [] : await night.events(run);
  const results = events.filter((event) => event.type === "tool_result");
  expect(events).toContainEqual(expect.objectContaining({ type: "tool_call", name: "mcp__memory__create_entities" }));
  expect(results[0]).toMatchObject({ failed: false });
  expect(readFileSync(memoryFile, "utf8")).toContain('"name":"nightshift"');
  expect(results[1]).toMatchObject({ failed: true, output: expect.stringContaining("No such tool available") });
  expect(results[2], JSON.stringify(results[2])).toMatchObject({ failed: false });
  const { files } = await night.commands.apply(task.id, { force: false, dryRun: true }, ALICE);
  expect(files).toEqual([{ path: "notes/made.txt", change: "created", problem: null }]);

  // What a hostile program in the sandbox can do with the broker.
  const attack = results[3]?.output ?? "";
  const said = attack.slice(attack.indexOf("SAID"), attack.indexOf("GIVEN"));
  expect(said).toContain('"name":"create_entities"');
  expect(said).not.toContain('"name":"read_graph"');
  expect(said).toContain('The approved plan does not include the tool \\"delete_entities\\"');
  expect(said).toContain("Method not found");
  expect(attack).toContain("GIVEN[] VISIBLE[0]");
  expect(attack).not.toContain("MEMORY_TOKEN");
  expect(night.model.requests.map(({ body }) => JSON.stringify(body)).join("")).not.toContain(token);
  expect(readAllFiles(join(night.home, "runs"))).not.toContain(token);
  const last = night.model.requests.at(-1)?.body as { readonly tools: readonly { name: string }[] };
  expect(last.tools.map(({ name }) => name).toSorted()).toEqual([
    "Bash",
    "mcp__files__write_file",
    "mcp__memory__create_entities",
    "mcp__nightshift__report_outcome",
  ]);
  expect(existsSync(memoryFile)).toBe(true);
});
