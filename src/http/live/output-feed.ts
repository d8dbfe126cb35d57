import { OPEN_RUN_STATUSES, type Run } from "../../core/task/run.ts";
import type { TranscriptEvent, TranscriptLine } from "../../core/task/documents/transcript.ts";
import type { RunFiles, TranscriptPage } from "../../ports/run-files.ts";
import type { StoreReader } from "../../ports/store-mutations.ts";
import type { OutputPageJson, TranscriptEventJson } from "../contract/output.ts";
import { iso, isoOrNull, viewTokens } from "../views/views.ts";
import { type SseSource, sseMessage } from "./sse.ts";

/** Parses each line in the output format of the agent that printed it. */
export type ParseTranscript = (
  run: Run,
  lines: readonly TranscriptLine[],
) => Promise<readonly (readonly TranscriptEvent[])[]>;

export interface OutputDeps {
  readonly store: Pick<StoreReader, "tasks" | "events">;
  readonly runFiles: Pick<RunFiles, "readTranscript" | "readTranscriptBefore">;
  readonly parseTranscript: ParseTranscript;
  /** Calls `wake` whenever the transcript of an active run grows. Returns a function that unsubscribes. */
  readonly onOutput: (run: string, wake: () => void) => () => void;
}

export const PAGE_BYTES = 256 * 1024;
const BATCH_MS = 16;
/** Fallback for changes without a notification: a run of an earlier daemon, or a transcript that was written late. */
const POLL_MS = 1000;

/** One page of complete lines: from `offset` on, or the last ones before `before`. */
export async function readOutput(run: Run, place: OutputPlace, deps: OutputDeps): Promise<OutputPageJson> {
  const { offset = 0, before, raw = false } = place;
  const page = await readPage(run, deps, { offset, before });
  const events = await deps.parseTranscript(run, page.lines);
  return {
    run: run.id,
    status: run.status,
    offset: page.start,
    next: page.next,
    size: page.size,
    ended: before === undefined && hasRunEnded(run) && page.next === offset,
    lines: page.lines.map((line, index) => ({
      offset: line.offset,
      at: iso(line.at),
      from: line.from,
      command: line.command,
      ...(raw && { text: line.text }),
      events: (events[index] ?? []).map(viewTranscriptEvent),
    })),
  };
}

export interface OutputPlace {
  readonly offset?: number | undefined;
  readonly before?: number | undefined;
  readonly raw?: boolean;
}

function readPage(
  run: Run,
  { runFiles }: OutputDeps,
  { offset, before }: { readonly offset: number; readonly before: number | undefined },
): Promise<TranscriptPage> {
  return before === undefined
    ? runFiles.readTranscript(run.id, offset, PAGE_BYTES)
    : runFiles.readTranscriptBefore(run.id, before, PAGE_BYTES);
}

/** Streams a run's transcript from a byte offset. The id of each message is the next offset. Ends with `event: end`. */
export function outputSource(runId: string, from: number, deps: OutputDeps): SseSource {
  let offset = from;
  return {
    async read() {
      // Read the run before its page: if it has ended and the page is empty, everything was sent.
      const run = await deps.store.tasks.getRun(runId);
      if (run === null) return { text: sseMessage({ id: offset, event: "end", data: {} }), last: true };
      const page = await readOutput(run, { offset }, deps);
      if (page.next > offset) {
        offset = page.next;
        return { text: sseMessage({ id: offset, data: page }), last: false };
      }
      return hasRunEnded(run) ? { text: sseMessage({ id: offset, event: "end", data: page }), last: true } : null;
    },
    watch(wake) {
      let timer: NodeJS.Timeout | null = null;
      const wakeSoon = () => {
        timer ??= setTimeout(() => {
          timer = null;
          wake();
        }, BATCH_MS);
      };
      const poll = setInterval(wake, POLL_MS).unref();
      const stopOutput = deps.onOutput(runId, wakeSoon);
      const stopEvents = deps.store.events.onEvents((events) => {
        if (events.some((event) => event.run === runId)) wakeSoon();
      });
      return () => {
        clearInterval(poll);
        if (timer !== null) clearTimeout(timer);
        stopOutput();
        stopEvents();
      };
    },
  };
}

function hasRunEnded(run: Run): boolean {
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
