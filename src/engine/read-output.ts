import type { TranscriptEvent } from "../core/transcript.ts";
import type { Agent } from "../ports/agent.ts";
import type { EnginePorts } from "./ports.ts";

const PAGE_BYTES = 1_000_000;

/** What matters of an agent's transcript once it has ended: usage, sessions, limits, errors. Text is left on disk. */
export async function readAgentOutput(
  ports: EnginePorts,
  run: string,
  agent: Agent,
): Promise<readonly TranscriptEvent[]> {
  const kept: TranscriptEvent[] = [];
  for (let offset = 0; ;) {
    const page = await ports.runFiles.readTranscript(run, offset, PAGE_BYTES);
    for (const line of page.lines)
      if (line.command === "agent" && line.from === "stdout") kept.push(...agent.parseLine(line.text).filter(matters));
    if (page.next === offset) return kept;
    offset = page.next;
  }
}

function matters({ type }: TranscriptEvent): boolean {
  return ["usage", "session", "limit", "error"].includes(type);
}
