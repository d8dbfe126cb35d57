import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { exampleOf, outcomesOf, type ReportScope } from "../core/outcomes/outcome.ts";
import { outcomeJsonSchema } from "../core/outcomes/outcome-json-schema.ts";
import { readReport } from "../core/outcomes/read-outcome.ts";
import type { Role } from "../core/task/role.ts";

const REVIEW: ReportScope = { role: "review", plan: "document" };
const PROGRAM = join(import.meta.dirname, "report-outcome.ts");

let dir: string;
let reportFile: string;
let rulesFile: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "nightshift-mcp-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  mkdirSync(join(dir, "report"));
  reportFile = join(dir, "report", "reported.json");
  rulesFile = join(dir, "rules.json");
});

async function connect(role: Role, plan: ReportScope["plan"] = "document"): Promise<Client> {
  writeFileSync(rulesFile, JSON.stringify({ role, plan, reportFile }));
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [PROGRAM, rulesFile] }));
  onTestFinished(() => client.close());
  return client;
}

async function report(client: Client, value: Readonly<Record<string, unknown>>) {
  const { content, isError } = await client.callTool({ name: "report_outcome", arguments: value });
  return { isError, text: JSON.stringify(content) };
}

const kept = (): unknown => JSON.parse(readFileSync(reportFile, "utf8"));

describe("report_outcome server", () => {
  test("offers one tool with the schema of the role", async () => {
    const client = await connect("review");
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["report_outcome"]);
    expect(tools[0]?.inputSchema).toEqual(outcomeJsonSchema(REVIEW));
  });

  test("accepts any outcome of the role and keeps the last report, private and without unknown keys", async () => {
    const client = await connect("review");
    for (const name of outcomesOf("review")) {
      const example = exampleOf(name, REVIEW.plan);
      const answer = await report(client, { ...example, unknown: { deep: [1] } });
      expect(answer).toEqual({ isError: false, text: expect.stringContaining(`Recorded: ${name}. End now.`) });
      expect(kept()).not.toHaveProperty("unknown");
      expect(readReport(kept(), REVIEW)).toEqual(readReport(example, REVIEW));
    }
    expect(statSync(reportFile).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(dir, "report"))).toEqual(["reported.json"]);
  });

  test("reports the kind of plan that the rules name, and no other", async () => {
    const client = await connect("plan", "execution");
    const document = await report(client, exampleOf("plan_complete", "document"));
    expect(document).toEqual({ isError: true, text: expect.stringContaining("prompt") });
    const both = { ...exampleOf("plan_complete", "document"), ...exampleOf("plan_complete", "execution") };
    expect(await report(client, both)).toMatchObject({ isError: false });
    expect(kept()).toMatchObject({ tools: ["Read", "Write"], directories: ["reports"] });
    expect(kept()).not.toHaveProperty("plan");
  });

  test("returns all errors at once, and accepts a corrected report in the same session", async () => {
    const client = await connect("analyze");
    const wrong = await report(client, { outcome: "no_improvement", files_scanned: -1 });
    expect(wrong.isError).toBe(true);
    expect(wrong.text).toMatch(/reason.*is missing.*files_scanned.*must be at least 0; found -1/);
    expect((await report(client, { outcome: "implemented", summary: "x" })).text).toMatch(
      /not allowed for the role analyze/,
    );
    expect(existsSync(reportFile)).toBe(false);
    const right = await report(client, { outcome: "no_improvement", reason: "clean", files_scanned: 1 });
    expect(right.isError).toBe(false);
    expect(kept()).toEqual({ outcome: "no_improvement", reason: "clean", files_scanned: 1 });
  });

  test("keeps an earlier valid report when an invalid one follows", async () => {
    const client = await connect("implement");
    await report(client, { outcome: "implemented", summary: "first" });
    expect((await report(client, { outcome: "implemented" })).isError).toBe(true);
    expect(kept()).toEqual({ outcome: "implemented", summary: "first" });
  });

  test("returns an error for an unknown tool, a report that is too long, and a failed write", async () => {
    const client = await connect("investigate");
    await expect(client.callTool({ name: "merge", arguments: {} })).rejects.toThrow(/no tool "merge".*report_outcome/);
    expect((await client.callTool({ name: "report_outcome" })).isError).toBe(true);
    const options = Array.from({ length: 20 }, (_, index) => ({
      id: `o${index}`,
      title: "t",
      description: "x".repeat(90_000),
    }));
    const long = await report(client, { outcome: "options_proposed", summary: "s", options });
    expect(long).toEqual({ isError: true, text: expect.stringMatching(/at most 1048576/) });
    rmSync(join(dir, "report"), { recursive: true });
    const lost = await report(client, { outcome: "options_proposed", summary: "s", options: options.slice(0, 1) });
    expect(lost).toEqual({ isError: true, text: expect.stringMatching(/could not be written: .*ENOENT/) });
  });
});

/** Returns the output of the program for this exact input. The program must exit by itself. */
async function feed(input: string, rules: unknown = { role: "implement", plan: "document", reportFile }) {
  writeFileSync(rulesFile, JSON.stringify(rules));
  const child = spawn(process.execPath, [PROGRAM, rulesFile], { timeout: 10_000 });
  // The program may exit before it has read everything.
  child.stdin.on("error", () => {}).end(input);
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { answers: stdout.split("\n").filter(Boolean).length, stdout, stderr, code };
}

const ping = (id: number): string => `${JSON.stringify({ jsonrpc: "2.0", id, method: "ping" })}\n`;

describe("report_outcome program", () => {
  test("exits at the end of its input", async () => {
    expect(await feed(ping(1))).toMatchObject({ answers: 1, stderr: "", code: 0 });
  });

  test("skips invalid messages", async () => {
    const garbage = 'hello\n\n{"jsonrpc":\n[]\nnull\n{"id":{}}\n\u0000\uffff\n';
    const { answers, code } = await feed(`${garbage}${ping(1)}${garbage}${ping(2)}`);
    expect({ answers, code }).toEqual({ answers: 2, code: 0 });
  });

  test("exits after a message that is too long", async () => {
    const { code, stderr } = await feed("x".repeat(20 * 1024 * 1024));
    expect(code).toBe(0);
    expect(stderr).toMatch(/exceeded maximum size/);
  });

  test.each([
    ["an unknown role", { role: "king", reportFile: "/r.json" }],
    ["no absolute path", { role: "implement", reportFile: "r.json" }],
    ["no object", null],
  ])("does not start with rules that have %s", async (_, rules) => {
    const { code, stderr, stdout } = await feed(ping(1), rules);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/could not start with the rules file/);
  });
});
