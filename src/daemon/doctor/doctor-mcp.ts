import type { Settings } from "../../core/settings/settings.ts";
import type { McpServers } from "../../ports/mcp.ts";
import { fine, type Finding } from "./doctor-finding.ts";

/** Starts each configured MCP server where a run would start it. A server that does not work only affects plans that need it. */
export async function checkMcpServers(
  { mcp, sandbox }: Pick<Settings, "mcp" | "sandbox">,
  servers: Pick<McpServers, "listTools">,
): Promise<readonly Finding[]> {
  return Promise.all(
    Object.entries(mcp).map(async ([name, server]) => {
      const { tools, problem } = await servers.listTools({ ...server, name }, sandbox, { fresh: true });
      if (problem === null) return fine(`mcp ${name}`, `${countTools(tools.length)}, ${server.run} the sandbox`);
      const fix = `correct mcp.${name}, or remove it; until then, no plan can use its tools`;
      return { name: `mcp ${name}`, ok: "warn", detail: problem, fix };
    }),
  );
}

function countTools(count: number): string {
  return `${count} ${count === 1 ? "tool" : "tools"}`;
}
