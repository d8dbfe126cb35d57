import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  type CallToolResult,
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type Tool,
} from "@modelcontextprotocol/sdk/types.js";
import { outcomeJsonSchema } from "../core/outcomes/outcome-json-schema.ts";
import type { ReportScope } from "../core/outcomes/outcome.ts";
import { keepReport } from "./keep-report.ts";
import type { ReportRules } from "./rules.ts";

const TOOL = "report_outcome";

/** An MCP server with one tool, by which an agent says what its work came to, and hears at once what is wrong with that. */
export function createReportServer(rules: ReportRules): Server {
  // The SDK's shorter way takes zod schemas and checks by them; ours is the role's, and readReport words its problems.
  const server = new Server({ name: "nightshift", version: "1" }, { capabilities: { tools: {} } });
  // A line that is no message is passed over; after one without an end the transport closes, and the program ends.
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's server is no event target
  server.onerror = complain;
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

function complain({ message }: Error): void {
  console.error(`report_outcome: ${message.slice(0, 1_000)}`);
}

function describeTool(scope: ReportScope): Tool {
  const { properties, required = [] } = outcomeJsonSchema(scope);
  return {
    name: TOOL,
    title: "Report the outcome",
    description:
      "Reports what your work came to. Call it once, as the last thing you do: nothing else that you say or print counts. " +
      "When it answers with an error, correct the report and call it again. The last report that was recorded counts.",
    inputSchema: { type: "object", properties: { ...properties }, required: [...required] },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  };
}

function report(value: unknown, rules: ReportRules): CallToolResult {
  const kept = keepReport(value, rules);
  if (!kept.ok) return answer(`Not recorded. ${kept.problem}\nCorrect it and call ${TOOL} again.`, true);
  return answer(
    `Recorded: ${kept.outcome}. End now. Should it have to change, call ${TOOL} again: the last one counts.`,
    false,
  );
}

function answer(text: string, isError: boolean): CallToolResult {
  return { content: [{ type: "text", text }], isError };
}
