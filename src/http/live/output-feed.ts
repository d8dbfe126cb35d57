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
  /** Calls `wake` while the run works, whenever its transcript grew. Returns the way to stop. */
  readonly onOutput: (run: string, wake: () => void) => () => void;
}

const PAGE_BYTES = 256 * 1024;
const BATCH_MS = 16;
/** For whatever nobody told us about: a run adopted from an earlier daemon, a transcript written late. */
const POLL_MS = 1000;

export async function readOutput(run: Run, offset: number, deps: OutputDeps): Promise<OutputPageJson> {
  const page = await deps.runFiles.readTranscript(run.id, offset, PAGE_BYTES);
  return viewOutput({ run, offset, page }, deps.parseTranscript);
}

/** A run's transcript from a byte offset on; the id of each message is the offset after it. Ends with `event: end`. */
export function outputSource(runId: string, from: number, deps: OutputDeps): SseSource {
  let offset = from;
  return {
    async read() {
      // The run first: if it had ended by then, an empty page read afterwards means that all was sent.
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
      const soon = () => {
        timer ??= setTimeout(() => {
          timer = null;
          wake();
        }, BATCH_MS);
      };
      const poll = setInterval(wake, POLL_MS).unref();
      const stopOutput = deps.onOutput(runId, soon);
      const stopEvents = deps.store.events.onEvents((events) => {
        if (events.some((event) => event.run === runId)) soon();
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
