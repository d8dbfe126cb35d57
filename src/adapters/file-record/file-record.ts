import { Worker } from "node:worker_threads";
import { UserError } from "../../core/text/errors.ts";
import type { FileRecord, RecordedChanges, Snapshot } from "../../ports/file-record.ts";
import { createRunRecord } from "./run-record.ts";
import type { Reply, Request, Value } from "./worker.ts";

/** More than `describeFiles` takes: a file system that does not answer, such as a network drive, never ends a call. */
const MAX_DESCRIBE_MS = 20_000;

/** Each request has a thread for itself, because the walk waits for the disk at every file and would block other work. */
export function createFileRecord(): FileRecord {
  const ask = createThreads();
  const snapshots: Pick<FileRecord, "snapshot" | "compare"> = {
    snapshot: (params) => ask<Snapshot>({ kind: "snapshot", ...params }),
    compare: (before, after) => ask<RecordedChanges>({ kind: "compare", before, after }),
  };
  return {
    ...snapshots,
    ...createRunRecord(snapshots, (params) => ask({ kind: "read", ...params })),
    describe: (dir) => ask<string | null>({ kind: "describe", dir }, MAX_DESCRIBE_MS),
  };
}

/** With `maxMs`, the answer is null if the thread takes longer. */
type Ask = <T extends Value>(request: Request, maxMs?: number) => Promise<T>;

/** Keeps one idle thread, because an agent starts only after its request, and a new thread takes as long as everything else. */
function createThreads(): Ask {
  let idle: Worker | null = null;
  return async <T extends Value>(request: Request, maxMs?: number): Promise<T> => {
    const worker = idle ?? startThread();
    idle = null;
    const reply = await askThread(worker, request, maxMs);
    if (idle === null && reply !== null) idle = worker;
    else void worker.terminate();
    if (reply?.kind === "refused") throw new UserError(...reply.error);
    // The request determines the type of the reply.
    return (reply?.value ?? null) as T;
  };
}

function startThread(): Worker {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const worker = new Worker(new URL(`./worker.${extension}`, import.meta.url));
  // An error without a listener would end the daemon, also if nothing waits for the thread any more.
  worker.on("error", () => undefined);
  return worker;
}

/** A thread without a request does not keep the process alive. Null if it takes longer than `maxMs`. */
async function askThread(worker: Worker, request: Request, maxMs?: number): Promise<Reply | null> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply | null>();
  const timer = maxMs === undefined ? undefined : setTimeout(() => resolve(null), maxMs);
  const rejectEnded = (code: number) =>
    reject(new Error(`The file record thread ended without a reply (exit code ${code}).`));
  worker.ref();
  worker.once("message", resolve).once("error", reject).once("exit", rejectEnded);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  worker.postMessage(request);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    worker.off("message", resolve).off("error", reject).off("exit", rejectEnded);
    worker.unref();
  }
}
