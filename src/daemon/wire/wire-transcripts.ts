import { parseEventLine } from "../../adapters/agents/shared/event-lines.ts";
import type { Run } from "../../core/task/run.ts";
import type { TranscriptEvent, TranscriptLine } from "../../core/task/documents/transcript.ts";
import type { EnginePorts } from "../../engine/ports.ts";
import type { ParseTranscript } from "../../http/live/output-feed.ts";
import type { Agent } from "../../ports/agent.ts";

type Needed = Pick<EnginePorts, "store" | "projects" | "agents" | "log">;

/** Agents are cached because viewers of a run request its transcript repeatedly. */
const MAX_CACHED_AGENTS = 200;

/** Parses the agent's stdout in its own format and the gateway's lines in ours. Other output is raw text. */
export function createTranscriptParser(ports: Needed): ParseTranscript {
  const agents = new Map<string, Promise<Agent | null>>();

  function getAgent(run: Run): Promise<Agent | null> {
    const cached = agents.get(run.id);
    if (cached !== undefined) return cached;
    const found = findAgent(ports, run);
    if (agents.size >= MAX_CACHED_AGENTS) agents.clear();
    agents.set(run.id, found);
    return found;
  }

  return async (run, lines) => {
    const agent = run.agent === null ? null : await getAgent(run);
    return lines.map((line) => parseLine(line, agent));
  };
}

function parseLine({ command, from, text }: TranscriptLine, agent: Agent | null): readonly TranscriptEvent[] {
  if (command === "agent" && from === "gateway") return parseEventLine(text);
  if (command === "agent" && from === "stdout" && agent !== null) return agent.parseLine(text);
  return [{ type: "raw", text }];
}

/** Uses the current settings. Null if the agent is no longer defined; its output is then shown as raw text. */
async function findAgent({ store, projects, agents, log }: Needed, run: Run): Promise<Agent | null> {
  try {
    const task = await store.tasks.getTask(run.task);
    const project = task === null ? null : await store.projects.getProject(task.project);
    const settings = project === null ? null : (await projects.settings(project)).agents[run.agent ?? ""];
    return settings === undefined || settings === null ? null : agents.create(settings);
  } catch (error) {
    log.warn("the agent of a run could not be loaded; its transcript is shown as raw text", {
      run: run.id,
      error: String(error),
    });
    return null;
  }
}
