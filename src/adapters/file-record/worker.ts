import { parentPort } from "node:worker_threads";
import { UserError } from "../../core/text/errors.ts";
import type { UserErrorKind } from "../../core/text/errors.ts";
import type { ChangedContents, RecordedChanges, Snapshot, SnapshotParams } from "../../ports/file-record.ts";
import { describeFiles } from "./describe-files.ts";
import { performCompare, performRead, performSnapshot, type ReadParams } from "./perform.ts";

export type Request =
  | ({ readonly kind: "snapshot" } & SnapshotParams)
  | { readonly kind: "compare"; readonly before: string; readonly after: string }
  | ({ readonly kind: "read" } & ReadParams)
  | { readonly kind: "describe"; readonly dir: string };

export type Value = Snapshot | RecordedChanges | ChangedContents | string | null;

/** Errors lose their class when they are sent between threads. */
export type Reply =
  | { readonly kind: "done"; readonly value: Value }
  | { readonly kind: "refused"; readonly error: readonly [UserErrorKind, string, string | null] };

function answer(request: Request): Reply {
  try {
    return { kind: "done", value: perform(request) };
  } catch (error) {
    if (error instanceof UserError) return { kind: "refused", error: [error.kind, error.message, error.hint] };
    throw error;
  }
}

function perform(request: Request): Value {
  switch (request.kind) {
    case "compare":
      return performCompare(request.before, request.after);
    case "read":
      return performRead(request);
    case "describe":
      return describeFiles(request.dir);
    case "snapshot":
      return performSnapshot(request);
  }
}

parentPort?.on("message", (request: Request) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(answer(request));
});
