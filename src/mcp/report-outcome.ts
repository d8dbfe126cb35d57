import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { createReportServer } from "./report-server.ts";
import { readRules } from "./rules.ts";

/**
 * `node report-outcome.ts <rules file>`: an MCP server with the tool `report_outcome`. The agent CLI starts it inside its own
 * sandbox, and it exits when its stdin ends. The engine trusts its output no more than the agent's.
 */
const [rulesFile = ""] = process.argv.slice(2);
// Several times the largest report, so that a report that is too long still gets an error message.
const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;

try {
  const server = createReportServer(readRules(rulesFile));
  process.stdout.on("error", () => process.exit(0));
  await server.connect(new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: MAX_MESSAGE_BYTES }));
} catch (error) {
  console.error(`report_outcome could not start with the rules file ${JSON.stringify(rulesFile)}: ${String(error)}`);
  process.exitCode = 2;
}
