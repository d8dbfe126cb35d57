import { z } from "zod";
import { MCP_TOOL_NAME } from "../../core/settings/mcp.ts";

/** How to start an MCP server. Secrets are not part of it: the bridge gets them in its environment or from the broker. */
export const serverConfig = z.object({
  command: z.tuple([z.string()], z.string()),
  /** Variables of the bridge that the server gets in addition to the common ones. */
  variables: z.array(z.string()),
  /** How long it may take to start and to list its tools. */
  startMs: z.int().positive(),
});

export type ServerConfig = z.output<typeof serverConfig>;

/** What the bridge forwards for one run. */
export const serveConfig = serverConfig.extend({
  name: z.string(),
  /** The tools of the approved plan. */
  tools: z.array(z.string().regex(MCP_TOOL_NAME)),
  /** How long a call may take. */
  callMs: z.int().positive(),
  /** Socket of the broker that has the server's secrets. Null if it has none, or if the bridge already has them. */
  secretsFrom: z.string().nullable(),
});

export type ServeConfig = z.output<typeof serveConfig>;
