import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ReportScope } from "../../core/outcomes/outcome.ts";
import type { McpServer } from "../../ports/agent.ts";
import type { RunPaths } from "../../ports/run-files.ts";
import { findBundle, REPORT_SERVER } from "./bundle.ts";

/** The MCP server with the tool `report_outcome`, configured for a run. */
export interface ReportServer {
  readonly server: McpServer;
  /** Paths that the sandbox must make readable for it. */
  readonly read: readonly string[];
  /** Files to write before it starts. The agent must not be able to change them. */
  readonly files: Readonly<Record<string, string>>;
}

/** Found once, so that a daemon keeps using the version it started with. */
let program: ReportProgram | null = null;

export function reportServerFor({ filesDir, reportFile }: RunPaths, { role, plan }: ReportScope): ReportServer {
  program ??= findReportServer();
  const rulesFile = join(filesDir, "report-rules.json");
  return {
    server: { command: process.execPath, args: [program.file, rulesFile], env: {} },
    read: [process.execPath, ...program.read],
    files: { [rulesFile]: JSON.stringify({ role, plan, reportFile }) },
  };
}

export interface ReportProgram {
  /** Script for Node. Its only argument is the path of its rules file. */
  readonly file: string;
  /** Paths that it needs to read, besides Node. */
  readonly read: readonly string[];
}

/** Returns the bundle if there is one, otherwise the source with everything that it imports. */
export function findReportServer(): ReportProgram {
  const here = import.meta.url;
  // In the npm package, this file is JavaScript and the program is already bundled.
  if (extname(here) !== ".ts") return singleFile(fileURLToPath(new URL(`../../${REPORT_SERVER.source}.mjs`, here)));
  const checkout = fileURLToPath(new URL("../../..", here));
  const bundled = findBundle(checkout, REPORT_SERVER);
  return bundled === null ? fromSources(checkout) : singleFile(bundled);
}

export function fromSources(checkout: string): ReportProgram {
  return {
    file: join(checkout, "src", `${REPORT_SERVER.source}.ts`),
    read: ["src/mcp", "src/core", "package.json", "node_modules"].map((path) => join(checkout, path)),
  };
}

function singleFile(file: string): ReportProgram {
  return { file, read: [file] };
}
