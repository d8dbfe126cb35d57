import type { TranscriptEvent, TranscriptLine } from "../../../core/task/transcript.ts";
import type { Agent } from "../../../ports/agent.ts";
import { createKeptEvents } from "./keep-events.ts";
import type { EnginePorts } from "../../ports.ts";

/** Larger pages permanently grow the young generation of the heap: by 26 MB for pages of a megabyte. */
const PAGE_BYTES = 250_000;
const MAX_TOOLS = 50;
const MAX_TOOL_NAME = 100;

/** The relevant events of a transcript after its agent has ended: usage, sessions, limits, outcomes, errors. */
export interface AgentOutput {
  readonly events: readonly TranscriptEvent[];
  /** Usage measured by the model gateway. */
  readonly metered: readonly TranscriptEvent[];
  /** How often a tool was denied access to a file. */
  readonly fileDenials: number;
  /** How often each tool was called. */
  readonly toolUses: Readonly<Record<string, number>>;
}

export const NO_OUTPUT: AgentOutput = { events: [], metered: [], fileDenials: 0, toolUses: {} };

export async function readAgentOutput(ports: EnginePorts, run: string, agent: Agent): Promise<AgentOutput> {
  const events = createKeptEvents();
  const metered = createKeptEvents();
  let fileDenials = 0;
  const toolUses = new Map<string, number>();
  const read = ({ command, from, text }: TranscriptLine): void => {
    if (command !== "agent") return;
    // Some CLIs report a lost session only on stderr.
    const parsed = from === "stdout" || from === "stderr" ? agent.parseLine(text) : [];
    fileDenials += parsed.filter(isFileDenial).length;
    parsed.forEach(events.push);
    for (const event of parsed) if (event.type === "tool_call") countTool(toolUses, event.name);
    if (from === "gateway") ports.agents.parseGatewayLine(text).forEach(metered.push);
  };
  for (let offset = 0; ;) {
    const page = await ports.runFiles.readTranscript(run, offset, PAGE_BYTES);
    page.lines.forEach(read);
    if (page.next === offset)
      return { events: events.all(), metered: metered.all(), fileDenials, toolUses: Object.fromEntries(toolUses) };
    offset = page.next;
  }
}

/** Names come from the agent, so their number and length are bounded. */
function countTool(uses: Map<string, number>, name: string): void {
  const key = uses.has(name) || (uses.size < MAX_TOOLS && name.length <= MAX_TOOL_NAME) ? name : "other";
  uses.set(key, (uses.get(key) ?? 0) + 1);
}

/** Messages of the operating system and of the guard on the file tools. */
const FILE_DENIAL = /permission denied|read-only file system|\bE(ACCES|PERM|ROFS)\b|is outside the workspace/i;

function isFileDenial(event: TranscriptEvent): boolean {
  return event.type === "tool_result" && event.failed && FILE_DENIAL.test(event.output);
}
