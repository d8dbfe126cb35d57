import type { AgentSettings } from "../../../core/settings/settings.ts";
import type { Agent, AgentCapabilities } from "../../../ports/agent.ts";
import { parseCursorLine } from "./lines.ts";

const CAPABILITIES: AgentCapabilities = {
  sessions: true,
  // It asks a person before it starts a server, and the flag that answers for that person also starts the repository's.
  mcp: false,
  gateway: null,
};

/**
 * Cursor's `cursor-agent`, built from its documentation. It works as an agent in every role, since its modes that only read
 * could not write the outcome file either: what a role may not change is mounted read-only.
 */
export function cursor(settings: Pick<AgentSettings, "model">): Agent {
  return {
    kind: "cursor",
    capabilities: CAPABILITIES,
    program: {
      name: "cursor-agent",
      versionArgs: ["--version"],
      oldest: null,
      install: "See https://cursor.com/cli; npm's `cursor-agent` is somebody else's.",
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
          // A new chat gets its id from Cursor.
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
  // Nobody can be asked, and its own sandbox cannot stand inside of ours.
  ["--force", "--trust", "--sandbox", "disabled"],
].flat();
