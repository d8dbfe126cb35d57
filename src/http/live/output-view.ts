import { OPEN_RUN_STATUSES, type Run } from "../../core/task/run.ts";
import type { TranscriptEvent, TranscriptLine } from "../../core/task/transcript.ts";
import type { TranscriptPage } from "../../ports/run-files.ts";
import type { OutputPageJson, TranscriptEventJson } from "../contract/output.ts";
import { iso, isoOrNull, viewTokens } from "../views/views.ts";

/** Parses each line in the output format of the agent that printed it. */
export type ParseTranscript = (
  run: Run,
  lines: readonly TranscriptLine[],
) => Promise<readonly (readonly TranscriptEvent[])[]>;

export interface OutputPage {
  readonly run: Run;
  readonly offset: number;
  readonly page: TranscriptPage;
}

export async function viewOutput({ run, offset, page }: OutputPage, parse: ParseTranscript): Promise<OutputPageJson> {
  const events = await parse(run, page.lines);
  return {
    run: run.id,
    status: run.status,
    offset,
    next: page.next,
    ended: hasRunEnded(run) && page.next === offset,
    lines: page.lines.map((line, index) => ({
      at: iso(line.at),
      from: line.from,
      command: line.command,
      events: (events[index] ?? []).map(viewTranscriptEvent),
    })),
  };
}

export function hasRunEnded(run: Run): boolean {
  return run.status !== "queued" && !OPEN_RUN_STATUSES.includes(run.status);
}

function viewTranscriptEvent(event: TranscriptEvent): TranscriptEventJson {
  switch (event.type) {
    case "usage":
      return {
        type: event.type,
        tokens: viewTokens(event.tokens),
        cost_usd: event.costUsd,
        model: event.model,
        scope: event.scope,
      };
    case "limit":
      return { type: event.type, kind: event.kind, resets_at: isoOrNull(event.resetsAt) };
    default:
      return event;
  }
}
