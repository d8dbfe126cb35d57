import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ReportScope } from "../../core/outcomes/outcome.ts";
import type { McpServer } from "../../ports/agent.ts";
import type { RunPaths } from "../../ports/run-files.ts";
import { findBundle, REPORT_SERVER } from "./bundle.ts";

/** The MCP server with the tool `report_outcome`, as a run uses it. */
export interface ReportServer {
  readonly server: McpServer;
  /** What a sandbox has to show for it to run. */
  readonly read: readonly string[];
  /** What has to be written before it starts, where the agent cannot change it. */
  readonly files: Readonly<Record<string, string>>;
}

/** Looked for once: a daemon uses what was there when it began. */
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
  /** For Node, with the path of its rules as the one argument. */
  readonly file: string;
  /** What it needs to see, besides Node. */
  readonly read: readonly string[];
}

/** One file where it was bundled, otherwise its source and all that it imports. */
export function findReportServer(): ReportProgram {
  const here = import.meta.url;
  // Packed, this file is JavaScript, and the program was bundled before it was shipped.
  if (extname(here) !== ".ts") return alone(fileURLToPath(new URL(`../../${REPORT_SERVER.source}.mjs`, here)));
  const checkout = fileURLToPath(new URL("../../..", here));
  const bundled = findBundle(checkout, REPORT_SERVER);
  return bundled === null ? fromSources(checkout) : alone(bundled);
}

export function fromSources(checkout: string): ReportProgram {
  return {
    file: join(checkout, "src", `${REPORT_SERVER.source}.ts`),
    read: ["src/mcp", "src/core", "package.json", "node_modules"].map((path) => join(checkout, path)),
  };
}

function alone(file: string): ReportProgram {
  return { file, read: [file] };
}
