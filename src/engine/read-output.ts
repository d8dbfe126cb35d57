import type { TranscriptEvent, TranscriptLine } from "../core/transcript.ts";
import type { Agent } from "../ports/agent.ts";
import type { EnginePorts } from "./ports.ts";

const PAGE_BYTES = 1_000_000;

/** What matters of a transcript once its agent has ended: usage, sessions, limits, outcomes, errors. Text is left on disk. */
export interface AgentOutput {
  readonly events: readonly TranscriptEvent[];
  /** What passed through the model gateway. */
  readonly metered: readonly TranscriptEvent[];
  /** How often a tool said that it may not touch a file. */
  readonly fileDenials: number;
}

export const NO_OUTPUT: AgentOutput = { events: [], metered: [], fileDenials: 0 };

export async function readAgentOutput(ports: EnginePorts, run: string, agent: Agent): Promise<AgentOutput> {
  const events: TranscriptEvent[] = [];
  const metered: TranscriptEvent[] = [];
  let fileDenials = 0;
  const read = ({ command, from, text }: TranscriptLine): void => {
    if (command !== "agent") return;
    // Some say only on stderr that a session is gone.
    const said = from === "stdout" || from === "stderr" ? agent.parseLine(text) : [];
    fileDenials += said.filter(isFileDenial).length;
    events.push(...said.filter(matters));
    if (from === "gateway") metered.push(...ports.parseOwnLine(text).filter(matters));
  };
  for (let offset = 0; ;) {
    const page = await ports.runFiles.readTranscript(run, offset, PAGE_BYTES);
    page.lines.forEach(read);
    if (page.next === offset) return { events, metered, fileDenials };
    offset = page.next;
  }
}

function matters({ type }: TranscriptEvent): boolean {
  return ["usage", "session", "limit", "outcome", "error"].includes(type);
}

/** In the words of the system, and of the guard on the file tools. */
const REFUSED = /permission denied|read-only file system|\bE(ACCES|PERM|ROFS)\b|is outside the workspace/i;

function isFileDenial(event: TranscriptEvent): boolean {
  return event.type === "tool_result" && event.failed && REFUSED.test(event.output);
}
