import { Worker } from "node:worker_threads";
import { UserError } from "../../core/text/errors.ts";
import type { ChangedContents, FileRecord, RecordedChanges, Snapshot } from "../../ports/file-record.ts";
import { createRunRecord } from "./run-record.ts";
import type { ReadParams } from "./perform.ts";
import type { Reply, Request, Value } from "./worker.ts";

/** More than `describeFiles` takes: a file system that does not answer, such as a network drive, never ends a call. */
const MAX_DESCRIBE_MS = 20_000;

/** Each request runs in its own thread, because the walk waits for the disk at every file and would block other work. */
export function createFileRecord(): FileRecord {
  const snapshots: Pick<FileRecord, "snapshot" | "compare"> = {
    snapshot: (params) => ask<Snapshot>({ kind: "snapshot", ...params }),
    compare: (before, after) => ask<RecordedChanges>({ kind: "compare", before, after }),
  };
  return {
    ...snapshots,
    ...createRunRecord(snapshots, readContents),
    describe: (dir) => ask<string | null>({ kind: "describe", dir }, MAX_DESCRIBE_MS),
  };
}

function readContents(params: ReadParams): Promise<ChangedContents> {
  return ask({ kind: "read", ...params });
}

/** With `maxMs`, the answer is null if the thread takes longer. */
async function ask<T extends Value>(request: Request, maxMs?: number): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const worker = new Worker(new URL(`./worker.${extension}`, import.meta.url), { workerData: request });
  const timer = maxMs === undefined ? undefined : setTimeout(() => resolve(null as T), maxMs);
  worker.once("message", (reply: Reply) => {
    // The request determines the type of the reply.
    if (reply.kind === "done") resolve(reply.value as T);
    else reject(new UserError(...reply.error));
  });
  worker.once("error", reject);
  worker.once("exit", (code) => reject(new Error(`The file record thread ended without a reply (exit code ${code}).`)));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}
