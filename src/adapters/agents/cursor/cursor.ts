import type { AgentSettings } from "../../../core/settings/settings.ts";
import type { Agent } from "../../../ports/agent.ts";
import { parseCursorLine } from "./lines.ts";

/**
 * Cursor's `cursor-agent`, implemented from its documentation. Its read-only modes are not used, because they could not write
 * the outcome file. The sandbox mounts read-only what a role may not change.
 */
export function cursor(settings: Pick<AgentSettings, "model">): Agent {
  return {
    kind: "cursor",
    // No MCP: starting a server needs approval, and the flag that approves it also approves the servers of the repository.
    capabilities: { sessions: true, mcp: false, gateway: null },
    program: {
      name: "cursor-agent",
      versionArgs: ["--version"],
      oldest: null,
      install: "See https://cursor.com/cli. The npm package `cursor-agent` is unrelated.",
    },
    parseLine: parseCursorLine,
    command: ({ model, session, workspace }) => {
      const chosen = model ?? settings.model;
      return {
        argv: [
          "cursor-agent",
          ...FLAGS,
          "--workspace",
          workspace,
          ...(chosen === null ? [] : ["--model", chosen]),
          // Cursor chooses the id of a new chat.
          ...(session.kind === "resume" ? ["--resume", session.id] : []),
        ],
        env: { NO_COLOR: "1", CI: "1" },
        prompt: "stdin",
        read: [],
        files: {},
        hide: [".cursor/hooks.json", ".cursor/mcp.json"],
      };
    },
  };
}

const FLAGS = [
  ["--print", "--output-format", "stream-json"],
  // The run is not interactive, and Cursor's sandbox does not work inside ours.
  ["--force", "--trust", "--sandbox", "disabled"],
].flat();
