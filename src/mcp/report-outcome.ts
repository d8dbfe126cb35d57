import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { createReportServer } from "./report-server.ts";
import { readRules } from "./rules.ts";

/**
 * `node report-outcome.ts <rules file>`: the tool `report_outcome` for an agent CLI that starts this beside itself, inside
 * the same sandbox. It ends with its stdin. Nothing trusts it: whatever it wrote is read as if the agent had.
 */
const [rulesFile = ""] = process.argv.slice(2);
// Room for several times the largest report, so that one that is too long can still be answered with a sentence.
const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;

try {
  const server = createReportServer(readRules(rulesFile));
  process.stdout.on("error", () => process.exit(0));
  await server.connect(new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: MAX_MESSAGE_BYTES }));
} catch (error) {
  console.error(`report_outcome cannot start with the rules in ${JSON.stringify(rulesFile)}: ${String(error)}`);
  process.exitCode = 2;
}
