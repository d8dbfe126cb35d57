import type { Run } from "../../core/task/run.ts";
import type { RunFiles } from "../../ports/run-files.ts";
import type { StoreReader } from "../../ports/store-mutations.ts";
import type { OutputPageJson } from "../contract/output.ts";
import { type ParseTranscript, hasRunEnded, viewOutput } from "./output-view.ts";
import { type SseSource, sseMessage } from "./sse.ts";

export interface OutputDeps {
  readonly store: Pick<StoreReader, "tasks" | "events">;
  readonly runFiles: Pick<RunFiles, "readTranscript">;
  readonly parseTranscript: ParseTranscript;
  /** Calls `wake` whenever the transcript of an active run grows. Returns a function that unsubscribes. */
  readonly onOutput: (run: string, wake: () => void) => () => void;
}

const PAGE_BYTES = 256 * 1024;
const BATCH_MS = 16;
/** Fallback for changes without a notification: a run of an earlier daemon, or a transcript that was written late. */
const POLL_MS = 1000;

export async function readOutput(run: Run, offset: number, deps: OutputDeps): Promise<OutputPageJson> {
  const page = await deps.runFiles.readTranscript(run.id, offset, PAGE_BYTES);
  return viewOutput({ run, offset, page }, deps.parseTranscript);
}

/** Streams a run's transcript from a byte offset. The id of each message is the next offset. Ends with `event: end`. */
export function outputSource(runId: string, from: number, deps: OutputDeps): SseSource {
  let offset = from;
  return {
    async read() {
      // Read the run before its page: if it has ended and the page is empty, everything was sent.
      const run = await deps.store.tasks.getRun(runId);
      if (run === null) return { text: sseMessage({ id: offset, event: "end", data: {} }), last: true };
      const page = await readOutput(run, offset, deps);
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
