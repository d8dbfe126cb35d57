/** In `nightshift queue | head -1`, the reader closes the pipe early. That is not an error. */

const pipeClosed = Promise.withResolvers<never>();
// Most commands never await this promise, so its rejection must count as handled.
pipeClosed.promise.catch(() => undefined);
let isPipeClosed = false;
let hasCleanup = false;

class PipeClosedError extends Error {
  override readonly name = "PipeClosedError";
}

/** From now on, the command exits silently when the reader of its output closes the pipe. */
export function exitOnClosedPipe(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
      isPipeClosed = true;
      pipeClosed.reject(new PipeClosedError());
      if (!hasCleanup) process.exit();
    });
}

/**
 * Runs `cleanUp` before the command exits, even if the pipe was closed. `work` marks the operations that a closed pipe
 * may interrupt with `untilPipeCloses`.
 */
export async function runWithCleanup<T>(
  work: (untilPipeCloses: <R>(operation: Promise<R>) => Promise<R>) => Promise<T>,
  cleanUp: () => Promise<void>,
): Promise<T> {
  hasCleanup = true;
  try {
    return await work((operation) => Promise.race([operation, pipeClosed.promise]));
  } finally {
    await cleanUp();
    hasCleanup = false;
    if (isPipeClosed) process.exit();
  }
}
