import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type CallToolResult,
  type Tool,
} from "@modelcontextprotocol/sdk/types.js";
import { outcomeJsonSchema } from "../core/outcomes/outcome-json-schema.ts";
import type { ReportScope } from "../core/outcomes/outcome.ts";
import type { ReportRules } from "./rules.ts";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readReport } from "../core/outcomes/read-outcome.ts";

const TOOL = "report_outcome";

/** An MCP server with one tool. An agent uses it to report its outcome, and gets an error at once if the report is invalid. */
export function createReportServer(rules: ReportRules): Server {
  // The SDK's McpServer validates with zod schemas. Here the schema depends on the role, and readReport writes the errors.
  const server = new Server({ name: "nightshift", version: "1" }, { capabilities: { tools: {} } });
  // The transport skips invalid messages. After a message that is too long, it closes and the program exits.
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's server is not an EventTarget
  server.onerror = logError;
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [describeTool(rules)] }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    if (params.name === TOOL) return report(params.arguments, rules);
    throw new McpError(
      ErrorCode.InvalidParams,
      `There is no tool ${JSON.stringify(params.name)}. The only one is ${TOOL}.`,
    );
  });
  return server;
}

function logError({ message }: Error): void {
  console.error(`report_outcome: ${message.slice(0, 1_000)}`);
}

function describeTool(scope: ReportScope): Tool {
  const { properties, required = [] } = outcomeJsonSchema(scope);
  return {
    name: TOOL,
    title: "Report the outcome",
    description:
      "Reports the outcome of your work. Call it once, as your last action: nothing else that you say or print counts. " +
      "If it returns an error, correct the report and call it again. The last recorded report counts.",
    inputSchema: { type: "object", properties: { ...properties }, required: [...required] },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  };
}

function report(value: unknown, rules: ReportRules): CallToolResult {
  const saved = saveReport(value, rules);
  if (!saved.ok) return textResult(`Not recorded. ${saved.problem}\nCorrect it and call ${TOOL} again.`, true);
  return textResult(
    `Recorded: ${saved.outcome}. End now. If it has to change, call ${TOOL} again; the last report counts.`,
    false,
  );
}

function textResult(text: string, isError: boolean): CallToolResult {
  return { content: [{ type: "text", text }], isError };
}

/** The engine reads at most this much. */
const MAX_BYTES = 1024 * 1024;

type SavedReport = { readonly ok: true; readonly outcome: string } | { readonly ok: false; readonly problem: string };

/** Validates an agent's report for its role and saves it to the run's report file. Replaces an earlier report. */
function saveReport(value: unknown, rules: ReportRules): SavedReport {
  const read = readReport(value, rules);
  if (!read.ok) return read;
  const { name, payload } = read.outcome;
  // Only the keys of the schema are written, because the engine would reject some unknown ones.
  const text = `${JSON.stringify({ outcome: name, ...payload })}\n`;
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_BYTES) return reject(`The report has ${bytes} bytes; at most ${MAX_BYTES} are allowed. Shorten it.`);
  try {
    replaceFile(rules.reportFile, text);
  } catch (error) {
    return reject(`The report could not be written: ${String(error)}.`);
  }
  return { ok: true, outcome: name };
}

function replaceFile(file: string, text: string): void {
  const temporary = join(dirname(file), `.${basename(file)}.${process.pid}`);
  rmSync(temporary, { force: true });
  writeFileSync(temporary, text, { mode: 0o600, flag: "wx", flush: true });
  renameSync(temporary, file);
}

function reject(problem: string): SavedReport {
  return { ok: false, problem };
}
