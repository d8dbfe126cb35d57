import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { waitUntil } from "../../testing/wait-until.ts";

const ROOT = join(import.meta.dirname, "../../..");
const BRIDGE = join(ROOT, "src/mcp/bridge.ts");
const MEMORY = join(ROOT, "node_modules/.bin/mcp-server-memory");

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "mcp-bridge-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
});

interface Config {
  readonly command?: readonly string[];
  readonly variables?: readonly string[];
  readonly tools?: readonly string[];
  readonly startMs?: number;
  readonly callMs?: number;
  readonly secretsFrom?: string | null;
}

function startBridge(mode: string, config: Config, env: Readonly<Record<string, string>> = {}): ChildProcess {
  const whole = { name: "memory", command: [MEMORY], variables: [], tools: [], startMs: 60_000, callMs: 60_000 };
  const args = [BRIDGE, mode, JSON.stringify({ ...whole, secretsFrom: null, ...config })];
  const child = spawn(process.execPath, args, {
    stdio: ["pipe", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], HOME: dir, MEMORY_FILE_PATH: join(dir, "memory.jsonl"), ...env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

async function connect(child: ChildProcess): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error("The bridge has no pipes.");
  stdin.on("error", () => undefined);
  await client.connect(new StdioServerTransport(stdout, stdin), { timeout: 60_000 });
  return client;
}

async function readAll(child: ChildProcess): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const said = { stdout: "", stderr: "" };
  child.stdout?.on("data", (chunk) => (said.stdout += String(chunk)));
  child.stderr?.on("data", (chunk) => (said.stderr += String(chunk)));
  await once(child, "close");
  return said;
}

/** A minimal server in a few lines, which does `onCall` when its tool is called. */
function writeServer(onCall: string, onStart = ""): readonly string[] {
  const file = join(dir, "server.cjs");
  const text = `
    ${onStart}
    const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method, params } = JSON.parse(line);
      if (method === "initialize") say({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {}, resources: {} }, serverInfo: { name: "x", version: "1" } } });
      if (method === "tools/list") say({ id, result: { tools: [{ name: "act", inputSchema: { type: "object" } }, { name: "other", inputSchema: { type: "object" } }] } });
      if (method === "tools/call") { ${onCall} }
    });`;
  writeFileSync(file, text);
  return [process.execPath, file];
}

const answer = (text: string): string => `say({ id, result: { content: [{ type: "text", text: ${text} }] } });`;
const callAct = { name: "act", arguments: {} };

describe("bridge of an MCP server", () => {
  test("lists and calls only the tools of the plan, and forwards nothing else", async () => {
    const client = await connect(startBridge("serve", { tools: ["create_entities"], variables: ["MEMORY_FILE_PATH"] }));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["create_entities"]);
    const entities = [{ name: "a", entityType: "b", observations: [] }];
    const created = await client.callTool({ name: "create_entities", arguments: { entities } });
    expect(created.isError).not.toBe(true);
    const refused = await client.callTool({ name: "delete_entities", arguments: { entityNames: ["a"] } });
    expect(refused).toMatchObject({
      isError: true,
      content: [
        {
          text: expect.stringContaining(
            'does not include the tool "delete_entities" of the MCP server memory. It includes: create_entities.',
          ),
        },
      ],
    });
    expect(readFileSync(join(dir, "memory.jsonl"), "utf8")).toContain('"name":"a"');
    expect(client.getServerCapabilities()).toEqual({ tools: {} });
    await expect(client.listResources()).rejects.toThrow("Method not found");
  });

  test("answers a call with an error if the server hangs, and goes on", async () => {
    const command = writeServer(`if (params.arguments.hang !== true) { ${answer('"done"')} }`);
    const client = await connect(startBridge("serve", { command, tools: ["act"], callMs: 5_000 }));
    expect(await client.callTool({ name: "act", arguments: { hang: true } })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("The MCP server memory did not answer: ") }],
    });
    expect(await client.callTool(callAct)).toMatchObject({ content: [{ text: "done" }] });
  });

  test("says why if the server dies during a call", async () => {
    const command = writeServer('console.error("out of cheese"); process.exit(7);');
    const client = await connect(startBridge("serve", { command, tools: ["act"] }));
    const text = "it ended with exit code 7 (its last error message: out of cheese)";
    const dead = { isError: true, content: [{ text: expect.stringContaining(text) }] };
    expect(await client.callTool(callAct)).toMatchObject(dead);
    expect(await client.callTool(callAct)).toMatchObject(dead);
  });

  test("ends a server that floods, and says so", async () => {
    const command = writeServer('const more = () => process.stdout.write("x".repeat(65536), more); more();');
    const client = await connect(startBridge("serve", { command, tools: ["act"] }));
    expect(await client.callTool(callAct)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("it printed a message of more than 8388608 bytes") }],
    });
  });

  test("skips garbage, and answers requests of the server with an error", async () => {
    const garbage = `process.stdout.write("\\x00\\xff garbage\\n{}\\n[]\\n{\\"jsonrpc\\":\\"2.0\\",\\"id\\":99,\\"result\\":{}}\\n");`;
    const sampling = `say({ id: "s", method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } });`;
    const command = writeServer(`${garbage}${sampling}${answer('"still here"')}`, garbage);
    const client = await connect(startBridge("serve", { command, tools: ["act"] }));
    expect(await client.callTool(callAct)).toMatchObject({ content: [{ text: "still here" }] });
  });

  test("passes on only named variables, and the secrets of the broker", async () => {
    const path = join(dir, "broker.sock");
    const asked: string[] = [];
    const broker = createServer((socket) =>
      socket.on("data", (data) => {
        asked.push(String(data));
        socket.end(JSON.stringify({ JIRA_TOKEN: "abc" }));
      }),
    ).listen(path);
    onTestFinished(() => void broker.close());
    const command = writeServer(answer("Object.keys(process.env).sort().join()"));
    const env = { ANTHROPIC_API_KEY: "nonce", REGION: "eu" };
    const client = await connect(
      startBridge("serve", { command, tools: ["act"], variables: ["REGION"], secretsFrom: path }, env),
    );
    expect(await client.callTool(callAct)).toMatchObject({ content: [{ text: "HOME,JIRA_TOKEN,PATH,REGION" }] });
    expect(asked).toEqual(["secrets memory\n"]);
  });

  test("ends the server and what it started when the agent ends, even if they ignore that", async () => {
    const ready = join(dir, "ready");
    const stubborn = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000);';
    const start = `${stubborn} require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(`${stubborn} require("node:fs").writeFileSync(${JSON.stringify(ready)}, String(process.pid))`)}], { stdio: "ignore" });`;
    const child = startBridge("serve", { command: writeServer("", start), tools: ["act"] });
    await connect(child);
    await waitUntil(() => existsSync(ready) && readFileSync(ready, "utf8") !== "", 60_000);
    child.stdin?.end();
    await once(child, "exit");
    const pid = Number(readFileSync(ready, "utf8"));
    await waitUntil(() => !isRunning(pid), 60_000);
    expect(child.exitCode).toBe(0);
  });
});

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

describe("bridge that lists tools", () => {
  test("prints names and descriptions", async () => {
    const { stdout } = await readAll(startBridge("list", {}));
    expect(JSON.parse(stdout)).toMatchObject({
      tools: expect.arrayContaining([{ name: "read_graph", description: "Read the entire knowledge graph" }]),
    });
  });

  test.each([
    [["sh", "-c", "echo no database >&2; exit 3"], "it ended with exit code 3 (its last error message: no database)"],
    [["sleep", "1000"], "it did not answer: "],
    [["yes"], "it did not answer: "],
    [["cat", "/dev/zero"], "it printed a message of more than 8388608 bytes"],
    [["no-such-program"], "no-such-program cannot be started"],
  ])("says why a server does not start: %j", async (command, problem) => {
    const startMs = ["sleep", "yes"].includes(command[0] ?? "") ? 2_000 : 60_000;
    const { stdout } = await readAll(startBridge("list", { command, startMs }));
    expect(JSON.parse(stdout)).toEqual({ problem: expect.stringContaining(problem) });
  });
});
