import type { TranscriptEvent, TranscriptLine, UsageEvent } from "../../../core/task/documents/transcript.ts";
import type { Agent } from "../../../ports/agent.ts";
import type { EnginePorts } from "../../ports.ts";
import type { StuckDetector } from "../../../core/task/detect-stuck.ts";
import { detectIn } from "./watch-stuck.ts";
import { add } from "../../../core/money/cost.ts";

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
  /** Why the agent seemed to be stuck, or null. */
  readonly stuck: string | null;
}

export const NO_OUTPUT: AgentOutput = { events: [], metered: [], fileDenials: 0, toolUses: {}, stuck: null };

export async function readAgentOutput(
  ports: EnginePorts,
  run: string,
  agent: Agent,
  detector: StuckDetector,
): Promise<AgentOutput> {
  const events = createKeptEvents();
  const metered = createKeptEvents();
  let fileDenials = 0;
  const toolUses = new Map<string, number>();
  const read = (line: TranscriptLine): void => {
    const { command, from, text } = line;
    if (command !== "agent") return;
    detectIn(detector, ports, agent, line);
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
      return {
        events: events.all(),
        metered: metered.all(),
        fileDenials,
        toolUses: Object.fromEntries(toolUses),
        stuck: detector.finding(),
      };
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

/** Collects the events that matter at the end of a run, in bounded memory. */
export interface KeptEvents {
  push(event: TranscriptEvent): void;
  /** Ordered by when each was last pushed. */
  all(): readonly TranscriptEvent[];
}

/** Names come from the agent. Usage of further models is added up without a name. */
const MAX_MODELS = 100;

/** Keeps the last event of each kind and the sum of usage events. Text stays on disk. */
export function createKeptEvents(): KeptEvents {
  const kept = new Map<string, TranscriptEvent>();
  const models = new Set<string | null>();

  function put(key: string, event: TranscriptEvent): void {
    kept.delete(key);
    kept.set(key, event);
  }

  function putUsage(usage: UsageEvent): void {
    if (models.size < MAX_MODELS) models.add(usage.model);
    const event = models.has(usage.model) ? usage : { ...usage, model: null };
    const key = JSON.stringify(["usage", event.scope, event.costUsd === null, event.model]);
    const before = kept.get(key);
    put(key, event.scope === "delta" && before?.type === "usage" ? sum(before, event) : event);
  }

  return {
    push(event) {
      if (event.type === "usage") putUsage(event);
      else if (event.type === "error") put(`error ${event.failure}`, event);
      else if (event.type === "session" || event.type === "limit" || event.type === "outcome") put(event.type, event);
    },
    all: () => [...kept.values()],
  };
}

/** Either both have a cost or neither does. */
function sum(a: UsageEvent, b: UsageEvent): UsageEvent {
  const costUsd = a.costUsd === null || b.costUsd === null ? null : a.costUsd + b.costUsd;
  return { ...b, tokens: add(a.tokens, b.tokens), costUsd };
}
