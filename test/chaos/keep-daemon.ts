import { setTimeout as sleep } from "node:timers/promises";
import { ProblemError, type Client, type EventJson } from "../../src/http/client/client.ts";
import { startDaemon, type Daemon } from "./daemon.ts";

const PATIENCE_MS = 60_000;

/** A daemon that is started again whenever it is needed and gone, and a client that follows its events all the while. */
export interface KeptDaemon {
  /** Every event, as a client saw it live that goes on after the last one it knows. */
  readonly seen: readonly EventJson[];
  running(): Daemon;
  /** Stops the one that runs and starts one that will kill itself at `crashAt`. */
  replace(crashAt: string): Promise<Daemon>;
  /** Repeats a request until a daemon that lives answers it. */
  insist<T>(request: (client: Client) => Promise<T>): Promise<T>;
}

export function keepDaemon(home: string): KeptDaemon {
  const seen: EventJson[] = [];
  let current = start(null);

  function start(crashAt: string | null): Daemon {
    const daemon = startDaemon(home, crashAt);
    void follow(daemon);
    return daemon;
  }

  async function follow(daemon: Daemon): Promise<void> {
    const client = await daemon.client;
    const gone = new AbortController();
    void daemon.ended.then(() => gone.abort());
    try {
      const events = client?.events({ after: seen.at(-1)?.id ?? 0, signal: gone.signal });
      for await (const event of events ?? []) seen.push(event);
    } catch {
      // The daemon died; with the next one it goes on from the last event seen.
    }
  }

  function running(): Daemon {
    if (current.hasEnded()) current = start(null);
    return current;
  }

  return {
    seen,
    running,
    async replace(crashAt) {
      await current.stop();
      current = start(crashAt);
      return current;
    },
    async insist(request) {
      const deadline = performance.now() + PATIENCE_MS;
      for (;;) {
        if (performance.now() > deadline) throw new Error(`no daemon answered for ${PATIENCE_MS} ms`);
        const client = await running().client;
        try {
          if (client !== null) return await request(client);
        } catch (error) {
          if (error instanceof ProblemError && error.status < 500) throw error;
        }
        // One that does not even start says why on stderr: not fifty times a second.
        await sleep(client === null ? 500 : 20);
      }
    },
  };
}
