/** `nightshift queue | head -1`: who has read enough closes the pipe, and that is no error. */

const gone = Promise.withResolvers<never>();
// Most commands do not wait for it.
gone.promise.catch(() => undefined);
let isGone = false;
let isHeld = false;

class ReaderGone extends Error {
  override readonly name = "ReaderGone";
}

/** From now on the command ends quietly when nobody reads what it prints. */
export function endWithReader(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
      isGone = true;
      gone.reject(new ReaderGone());
      if (!isHeld) process.exit();
    });
}

/** For a command that leaves something behind if it just ends: `cleanUp` comes first, `work` is given up. */
export async function cleanUpAfter<T>(
  work: (whileRead: <R>(waiting: Promise<R>) => Promise<R>) => Promise<T>,
  cleanUp: () => Promise<void>,
): Promise<T> {
  isHeld = true;
  try {
    return await work((waiting) => Promise.race([waiting, gone.promise]));
  } finally {
    await cleanUp();
    isHeld = false;
    if (isGone) process.exit();
  }
}
