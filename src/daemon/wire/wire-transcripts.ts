import { parseEventLine } from "../../adapters/agents/shared/event-lines.ts";
import type { Run } from "../../core/task/run.ts";
import type { TranscriptEvent, TranscriptLine } from "../../core/task/transcript.ts";
import type { EnginePorts } from "../../engine/ports.ts";
import type { ParseTranscript } from "../../http/live/output-feed.ts";
import type { Agent } from "../../ports/agent.ts";

type Needed = Pick<EnginePorts, "store" | "projects" | "agents" | "log">;

/** How many runs' agents are remembered: whoever watches a run asks for it again and again. */
const MOST = 200;

/** Only the agent's own stdout is in its words, the gateway's lines are ours; what others printed is text. */
export function createTranscriptParser(ports: Needed): ParseTranscript {
  const agents = new Map<string, Promise<Agent | null>>();

  function agentOf(run: Run): Promise<Agent | null> {
    const known = agents.get(run.id);
    if (known !== undefined) return known;
    const found = findAgent(ports, run);
    if (agents.size >= MOST) agents.clear();
    agents.set(run.id, found);
    return found;
  }

  return async (run, lines) => {
    const agent = run.agent === null ? null : await agentOf(run);
    return lines.map((line) => parseLine(line, agent));
  };
}

function parseLine({ command, from, text }: TranscriptLine, agent: Agent | null): readonly TranscriptEvent[] {
  if (command === "agent" && from === "gateway") return parseEventLine(text);
  if (command === "agent" && from === "stdout" && agent !== null) return agent.parseLine(text);
  return [{ type: "raw", text }];
}

/** By the settings as they are now: a run whose agent is no longer defined is shown as it printed. */
async function findAgent({ store, projects, agents, log }: Needed, run: Run): Promise<Agent | null> {
  try {
    const task = await store.tasks.getTask(run.task);
    const project = task === null ? null : await store.projects.getProject(task.project);
    const settings = project === null ? null : (await projects.settings(project)).agents[run.agent ?? ""];
    return settings === undefined || settings === null ? null : agents.create(settings);
  } catch (error) {
    log.warn("the words of an agent cannot be read", { run: run.id, error: String(error) });
    return null;
  }
}
