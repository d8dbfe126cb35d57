import { Worker } from "node:worker_threads";
import { UserError } from "../../core/text/errors.ts";
import type { FileRecord, RecordedChanges, Snapshot } from "../../ports/file-record.ts";
import type { Reply, Request } from "./worker.ts";

/** Each question has a thread of its own, so that the walk, which waits for the disk at every file, keeps nobody waiting. */
export function createFileRecord(): FileRecord {
  return {
    snapshot: (params) => ask<Snapshot>({ kind: "snapshot", ...params }),
    compare: (before, after) => ask<RecordedChanges>({ kind: "compare", before, after }),
  };
}

async function ask<T extends Snapshot | RecordedChanges>(request: Request): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const worker = new Worker(new URL(`./worker.${extension}`, import.meta.url), { workerData: request });
  worker.once("message", (reply: Reply) => {
    // What was asked for decides what the answer is.
    if (reply.kind === "done") resolve(reply.value as T);
    else reject(new UserError(...reply.error));
  });
  worker.once("error", reject);
  worker.once("exit", (code) => reject(new Error(`The record of files ended without an answer (${code}).`)));
  return await promise;
}
