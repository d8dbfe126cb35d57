import { ProblemError, UnreachableError, UnresponsiveError, type Client } from "../../http/client/client.ts";
import { createNodeClient } from "../../http/client/node-client.ts";
import type { CliContext } from "../context.ts";
import { findDaemon, readAddress, type DaemonAddress } from "../daemon/find-daemon.ts";

const POLL_MS = 500;
/** How long to wait for a daemon that is gone or hangs. A restart takes seconds; an overloaded machine recovers later. */
const GIVE_UP_MS = 120_000;

export type FollowingClient = Pick<Client, "call" | "events" | "output">;

/**
 * A client for commands that follow a task. If the daemon is restarted or hangs, it waits until a daemon answers again and
 * continues where it was. Use it for reading only, because it repeats calls.
 */
export function surviveRestarts(context: CliContext, first: Client): FollowingClient {
  let current = first;
  let lastPid: Promise<number | undefined> = readAddress(context).then((address) => address?.pid);

  async function reconnect(lost: unknown, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return;
    if (!isLost(lost)) throw lost;
    const address = await waitForDaemon(context, lost, signal);
    if (address === null) return;
    lastPid = Promise.resolve(address.pid);
    current = createNodeClient(address);
  }

  /** Repeats `read` until it ends by itself or the caller aborts it. */
  async function* resume<T>(signal: AbortSignal, read: (signal: AbortSignal) => AsyncIterable<T>): AsyncGenerator<T> {
    while (!signal.aborted) {
      const replaced = new AbortController();
      // Another stream may reconnect first, so each one remembers the daemon that it reads from.
      const pid = lastPid;
      const timer = setInterval(() => void abortIfReplaced(replaced, pid), POLL_MS).unref();
      try {
        yield* read(AbortSignal.any([signal, replaced.signal]));
        if (!replaced.signal.aborted) return;
        await reconnect(replaced.signal.reason, signal);
      } catch (error) {
        await reconnect(error, signal);
      } finally {
        clearInterval(timer);
      }
    }
  }

  /** Notices a restart at once, because the new daemon may use another port and always uses another token. */
  async function abortIfReplaced(replaced: AbortController, pid: Promise<number | undefined>): Promise<void> {
    const address = await readAddress(context);
    if (address !== null && address.pid !== (await pid))
      replaced.abort(new UnreachableError(address.url, "the daemon was restarted"));
  }

  return {
    async call(...input) {
      const signal = input[1]?.signal;
      for (;;) {
        try {
          return await current.call(...input);
        } catch (error) {
          if (signal?.aborted === true) throw error;
          await reconnect(error, signal);
        }
      }
    },
    async *events({ after = 0, task, signal }) {
      let last = after;
      for await (const event of resume(signal, (own) =>
        current.events({ after: last, signal: own, ...(task !== undefined && { task }) }),
      )) {
        last = event.id;
        yield event;
      }
    },
    async *output(run, { offset = 0, signal }) {
      let next = offset;
      for await (const page of resume(signal, (own) => current.output(run, { offset: next, signal: own }))) {
        next = page.next;
        yield page;
      }
    },
  };
}

/** A new daemon has a new token, so an unknown token means that the daemon was restarted. */
function isLost(error: unknown): boolean {
  return (
    error instanceof UnreachableError ||
    error instanceof UnresponsiveError ||
    (error instanceof ProblemError && error.status === 401)
  );
}

/** Returns null if the caller aborts. Throws the reason if no daemon answers in time. */
async function waitForDaemon(
  context: CliContext,
  reason: unknown,
  signal: AbortSignal | undefined,
): Promise<DaemonAddress | null> {
  let lost = reason;
  let isAnnounced = false;
  for (const start = performance.now(); performance.now() - start < GIVE_UP_MS;) {
    const found = await findDaemon(context).catch((error: unknown) => {
      if (!(error instanceof UnresponsiveError)) throw error;
      lost = error;
      return null;
    });
    if (found !== null) return found;
    const what = lost instanceof UnresponsiveError ? "does not answer" : "is not running";
    if (!isAnnounced) context.progress(`The daemon ${what}. Waiting for it …\n`);
    isAnnounced = true;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    if (signal?.aborted === true) return null;
  }
  throw lost;
}
