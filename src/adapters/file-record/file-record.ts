import { Worker } from "node:worker_threads";
import { UserError } from "../../core/text/errors.ts";
import type { ChangedContents, FileRecord, RecordedChanges, Snapshot } from "../../ports/file-record.ts";
import { createRunRecord } from "./run-record.ts";
import type { ReadParams } from "./perform.ts";
import type { Reply, Request } from "./worker.ts";

/** Each request runs in its own thread, because the walk waits for the disk at every file and would block other work. */
export function createFileRecord(): FileRecord {
  const snapshots: Pick<FileRecord, "snapshot" | "compare"> = {
    snapshot: (params) => ask<Snapshot>({ kind: "snapshot", ...params }),
    compare: (before, after) => ask<RecordedChanges>({ kind: "compare", before, after }),
  };
  return { ...snapshots, ...createRunRecord(snapshots, readContents) };
}

function readContents(params: ReadParams): Promise<ChangedContents> {
  return ask({ kind: "read", ...params });
}

async function ask<T extends Snapshot | RecordedChanges | ChangedContents>(request: Request): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const worker = new Worker(new URL(`./worker.${extension}`, import.meta.url), { workerData: request });
  worker.once("message", (reply: Reply) => {
    // The request determines the type of the reply.
    if (reply.kind === "done") resolve(reply.value as T);
    else reject(new UserError(...reply.error));
  });
  worker.once("error", reject);
  worker.once("exit", (code) => reject(new Error(`The file record thread ended without a reply (exit code ${code}).`)));
  return await promise;
}
