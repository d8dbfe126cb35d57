import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { BrokeredMcpServer, JobCommand } from "../ports/supervisor.ts";
import { testPolicy } from "../testing/policy.ts";
import { waitUntil } from "../testing/wait-until.ts";
import { openMcpBroker, type McpBroker } from "./mcp-broker.ts";

const TOKEN = ["jira", "token", "1f3870be274f6c49"].join("-");
/** Prints its secret, in plain text and as JSON in base64, and what it reads. */
const LEAKY =
  'echo "{\\"token\\":\\"$JIRA_TOKEN\\"}"; printf %s "$JIRA_TOKEN" | base64; echo "cwd $PWD"; while read -r line; do echo "got $line"; done';

let dir: string;
let notes: string[];
let broker: McpBroker;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "mcp-broker-"));
  notes = [];
});
afterEach(async () => {
  await broker.close();
  rmSync(dir, { recursive: true, force: true });
});

async function open(...mcpServers: readonly BrokeredMcpServer[]): Promise<string> {
  const command = { policy: testPolicy(dir), mcpServers } as Partial<JobCommand> as JobCommand;
  broker = await openMcpBroker({
    job: { socket: join(dir, "job.sock"), dir, run: "run_1", sandbox: "enforce" },
    command,
    jobSecrets: { keys: { JIRA_TOKEN: TOKEN, OTHER: "other" }, redact: [{ name: "JIRA_TOKEN", value: TOKEN }] },
    onNote: (sentence) => notes.push(sentence),
  });
  expect(broker.command.policy.mcpBroker).toBe(join(dir, "job.sock.mcp"));
  return join(dir, "job.sock.mcp");
}

function outside(script: string): BrokeredMcpServer {
  const env = { PATH: process.env["PATH"] ?? "" };
  return { name: "jira", outside: { argv: ["sh", "-c", script], env }, keyNames: ["JIRA_TOKEN"] };
}

/** Sends the text and returns what the broker says until it contains `end` or the broker closes the connection. */
async function talk(path: string, text: string, end: string | null = null): Promise<string> {
  const socket = connect({ path });
  let said = "";
  socket.on("data", (chunk) => (said += String(chunk)));
  socket.on("error", () => undefined);
  socket.write(text);
  await waitUntil(() => socket.closed || (end !== null && said.includes(end)), 60_000);
  socket.destroy();
  return said;
}

describe("broker for MCP servers", () => {
  test("connects a server outside of the sandbox, and redacts its secret in every form", async () => {
    const path = await open(outside(LEAKY));
    const said = await talk(path, "serve jira\nhello\n", "got hello\n");
    expect(said).toContain('{"token":"[redacted: JIRA_TOKEN]"}');
    expect(said).not.toContain(Buffer.from(TOKEN).toString("base64"));
    expect(said).toContain(`cwd ${join(dir, "mcp")}`);
  });

  test("gives the secrets of a server inside only to a request for them", async () => {
    const path = await open({ name: "jira", outside: null, keyNames: ["JIRA_TOKEN", "MISSING"] });
    expect(JSON.parse(await talk(path, "secrets jira\n"))).toEqual({ JIRA_TOKEN: TOKEN });
    expect(await talk(path, "serve jira\n")).toBe("");
  });

  test.each([
    "secrets jira\n",
    "serve other\n",
    "serve\n",
    "serve jira x\n",
    "GET / HTTP/1.1\r\n\r\n",
    "x".repeat(100_000),
  ])("answers nothing to %j if the server runs outside", async (request) => {
    const started = join(dir, "started");
    const path = await open(outside(`touch ${started}; cat`));
    expect(await talk(path, request)).toBe("");
    expect(existsSync(started)).toBe(false);
  });

  test("notes why a server does not start, without its secret", async () => {
    const path = await open(outside('echo "no such database: $JIRA_TOKEN" >&2; exit 3'));
    expect(await talk(path, "serve jira\n")).toBe("");
    await waitUntil(() => notes.length > 0, 60_000);
    expect(notes).toEqual(["no such database: [redacted: JIRA_TOKEN]"]);
  });

  test("bounds the notes of a server that floods them, and forwards none of them to the agent", async () => {
    const path = await open(
      outside("i=0; while [ $i -lt 100 ]; do echo $i >&2; sleep 0.01; i=$((i+1)); done; echo done"),
    );
    expect(await talk(path, "serve jira\n")).toBe("done\n");
    expect(notes.length).toBeLessThanOrEqual(20);
  });

  test("starts at most 16 servers at once", async () => {
    const path = await open(outside("echo ready; cat"));
    const sockets: Socket[] = [];
    let ready = 0;
    let closed = 0;
    for (let count = 0; count < 40; count++) {
      const socket = connect({ path });
      socket.on("error", () => undefined);
      socket.on("data", () => ready++);
      socket.once("close", () => closed++);
      socket.write("serve jira\n");
      sockets.push(socket);
    }
    await waitUntil(() => ready + closed === 40, 60_000);
    expect(ready).toBe(16);
    for (const socket of sockets) socket.destroy();
  });

  test("ends its servers when it is closed, gently at first, and can be closed twice", async () => {
    const [ready, ended] = [join(dir, "ready"), join(dir, "ended")];
    const path = await open(
      outside(`trap 'echo saved > ${ended}; exit' TERM; touch ${ready}; while :; do sleep 0.05; done`),
    );
    const socket = connect({ path });
    socket.on("error", () => undefined);
    const closed = once(socket, "close");
    socket.write("serve jira\n");
    await waitUntil(() => existsSync(ready), 60_000);
    await Promise.all([broker.close(), broker.close()]);
    expect(readFileSync(ended, "utf8")).toBe("saved\n");
    await closed;
    expect(existsSync(path)).toBe(false);
  });
});
