import { parentPort, workerData } from "node:worker_threads";
import { UserError } from "../../core/text/errors.ts";
import type { UserErrorKind } from "../../core/text/errors.ts";
import type { RecordedChanges, Snapshot, SnapshotParams } from "../../ports/file-record.ts";
import { performCompare, performSnapshot } from "./perform.ts";

export type Request =
  | ({ readonly kind: "snapshot" } & SnapshotParams)
  | { readonly kind: "compare"; readonly before: string; readonly after: string };

/** Errors lose their class when they are sent between threads. */
export type Reply =
  | { readonly kind: "done"; readonly value: Snapshot | RecordedChanges }
  | { readonly kind: "refused"; readonly error: readonly [UserErrorKind, string, string | null] };

function answer(request: Request): Reply {
  try {
    const value = request.kind === "compare" ? performCompare(request.before, request.after) : performSnapshot(request);
    return { kind: "done", value };
  } catch (error) {
    if (error instanceof UserError) return { kind: "refused", error: [error.kind, error.message, error.hint] };
    throw error;
  }
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort?.postMessage(answer(workerData as Request));
