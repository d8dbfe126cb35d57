import { join } from "node:path";
import type { ReportScope } from "../../core/outcomes/outcome.ts";
import type { McpServer } from "../../ports/agent.ts";
import type { RunPaths } from "../../ports/run-files.ts";
import { REPORT_SERVER } from "./bundle.ts";
import { findInnerProgram, type InnerProgram } from "./inner-program.ts";

/** The MCP server with the tool `report_outcome`, configured for a run. */
export interface ReportServer {
  readonly server: McpServer;
  /** Paths that the sandbox must make readable for it. */
  readonly read: readonly string[];
  /** Files to write before it starts. The agent must not be able to change them. */
  readonly files: Readonly<Record<string, string>>;
}

/** Found once, so that a daemon keeps using the version it started with. */
let program: InnerProgram | null = null;

export function reportServerFor({ filesDir, reportFile }: RunPaths, { role, plan }: ReportScope): ReportServer {
  program ??= findInnerProgram(REPORT_SERVER);
  const rulesFile = join(filesDir, "report-rules.json");
  return {
    server: { command: process.execPath, args: [program.file, rulesFile], env: {} },
    read: [process.execPath, ...program.read],
    files: { [rulesFile]: JSON.stringify({ role, plan, reportFile }) },
  };
}
