import type { Event } from "../core/task/event.ts";
import type { Task } from "../core/task/task.ts";
import type { Log } from "../ports/log.ts";
import type { Store } from "../ports/store.ts";

const DEFAULT_INTERVAL_MS = 5 * 60_000;

export interface HeartbeatOptions {
  /** URLs of one project. With null, the URLs of all projects. */
  readonly urls: (project: string | null) => Promise<readonly string[]>;
  readonly ping: (url: string) => Promise<void>;
  readonly store: Pick<Store, "tasks" | "events">;
  /** True if the end of this task is the end of a night. */
  readonly isNight: (task: Task) => Promise<boolean>;
  readonly log: Log;
  readonly intervalMs?: number;
}

/**
 * Pings an external monitor regularly and at the end of each night. The monitor raises an alarm when pings stop, which a
 * dead machine cannot do itself. Best effort; nothing waits for it. Returns a function that stops it.
 */
export function startHeartbeat(options: HeartbeatOptions): () => void {
  const { urls, ping, store, isNight, log, intervalMs = DEFAULT_INTERVAL_MS } = options;
  const failing = new Set<string>();
  const timer = setInterval(() => void beat(null), intervalMs);
  const unsubscribe = store.events.onEvents((events) => void beatAfterNights(events).catch(() => undefined));
  void beat(null);
  return () => {
    clearInterval(timer);
    unsubscribe();
  };

  async function beatAfterNights(events: readonly Event[]): Promise<void> {
    for (const { type, task: id } of events) {
      if (type !== "task.ended" || id === null) continue;
      const task = await store.tasks.getTask(id);
      if (task !== null && (await isNight(task))) await beat(task.project);
    }
  }

  async function beat(project: string | null): Promise<void> {
    // Listing the URLs reads from the store, which may be closing.
    for (const url of await urls(project).catch(() => [])) void pingAndLog(url);
  }

  /** Logs only the host: anyone who knows the full URL can impersonate this daemon. */
  async function pingAndLog(url: string): Promise<void> {
    const { host } = new URL(url);
    try {
      await ping(url);
      if (failing.delete(url)) log.info("heartbeat succeeded again", { host });
    } catch (error) {
      if (failing.has(url)) return;
      failing.add(url);
      log.warn("heartbeat failed; further failures are not logged until it succeeds", {
        host,
        error: error instanceof Error ? error.message : String(error),
      });
    }
  }
}
