import { createAgent } from "../adapters/agents/index.ts";
import { createCommands } from "../engine/commands.ts";
import type { Run } from "../core/run.ts";
import type { AgentSettings } from "../core/settings.ts";
import type { TranscriptEvent, TranscriptLine } from "../core/transcript.ts";
import type { HttpDeps } from "../http/deps.ts";
import { findPlace } from "./find-place.ts";
import { findAgents } from "./find-agents.ts";
import type { Wired } from "./wire.ts";

export interface DaemonFacts {
  readonly owner: string;
  readonly ownerToken: string;
  readonly version: string;
  readonly startedAt: number;
  readonly stop: (force: boolean) => void;
}

/** What the API is given of the daemon. */
export function httpDeps({ ports, user, limits, output, projectFiles }: Wired, facts: DaemonFacts): HttpDeps {
  const commands = createCommands(ports);
  return {
    commands: {
      ...commands,
      // A project's own limits hold from the moment it is registered.
      async registerProject(project, actor) {
        const saved = await commands.registerProject(project, actor);
        await limits.refresh();
        return saved;
      },
    },
    store: ports.store,
    runFiles: ports.runFiles,
    parseTranscript: (run, lines) => lines.map((line) => parseLine(run, line)),
    onOutput: output.listen,
    agents: () => findAgents(ports),
    findProject: (place) => findPlace(place, ports.hostEnv),
    pendingTrust: (project, accepted) => projectFiles.pendingTrust(project, accepted),
    stop: facts.stop,
    info: () => ({
      pid: process.pid,
      version: facts.version,
      startedAt: facts.startedAt,
      sandbox: user.sandboxMode,
      problems: user.sandboxMode === "none" ? ["sandbox.mode is none: agents and checks run unconfined, with your rights"] : [],
    }),
    owner: facts.owner,
    ownerToken: facts.ownerToken,
    clock: ports.clock,
    log: ports.log,
  };
}

/** Only the agent's own stdout is in its format; what others printed is text. */
function parseLine(run: Run, line: TranscriptLine): readonly TranscriptEvent[] {
  if (line.command !== "agent" || line.from !== "stdout" || run.agent === null) return [{ type: "raw", text: line.text }];
  return createAgent(OWN_FORMAT).parseLine(line.text);
}

/** Both agents of this version write the same lines. */
const OWN_FORMAT: AgentSettings = { kind: "command", model: null, command: ["true"], prompt: "stdin", script: null };
