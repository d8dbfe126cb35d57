import { setTimeout as sleep } from "node:timers/promises";
import { ProblemError, type Client, type EventJson } from "../../src/http/client/client.ts";
import { startDaemon, type Daemon } from "./daemon.ts";
import type { World } from "./world.ts";

const TIMEOUT_MS = 60_000;

/** A daemon that is restarted whenever it is needed, with a client that follows its events all the time. */
export interface KeptDaemon {
  /** All events as a client received them live, resuming after the last one. */
  readonly seen: readonly EventJson[];
  running(): Daemon;
  /** Stops the running daemon and starts one that kills itself at `crashAt`. */
  replace(crashAt: string): Promise<Daemon>;
  /** Repeats a request until a daemon responds. */
  retryUntilAnswered<T>(request: (client: Client) => Promise<T>): Promise<T>;
}

export function keepDaemon({ home, powerCut }: Pick<World, "home" | "powerCut">): KeptDaemon {
  const seen: EventJson[] = [];
  let current = start(null);

  function start(crashAt: string | null): Daemon {
    const daemon = startDaemon(home, { crashAt, env: powerCut?.env ?? {} });
    void follow(daemon);
    return daemon;
  }

  async function follow(daemon: Daemon): Promise<void> {
    const client = await daemon.client;
    if (client === null) return;
    const gone = new AbortController();
    void daemon.ended.then(() => gone.abort());
    // The first connection of a stream may fail on a busy machine, although the daemon is alive.
    while (!daemon.hasEnded()) {
      try {
        const events = client.events({ after: seen.at(-1)?.id ?? 0, signal: gone.signal });
        for await (const event of events) seen.push(event);
      } catch {
        await sleep(100);
      }
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
    async retryUntilAnswered(request) {
      const deadline = performance.now() + TIMEOUT_MS;
      for (;;) {
        if (performance.now() > deadline) throw new Error(`no daemon answered for ${TIMEOUT_MS} ms`);
        const client = await running().client;
        try {
          if (client !== null) return await request(client);
        } catch (error) {
          if (error instanceof ProblemError && error.status < 500) throw error;
        }
        // Wait, because a daemon that cannot start would print its error fifty times a second.
        await sleep(client === null ? 500 : 20);
      }
    },
  };
}
