import type { Event } from "../core/task/event.ts";
import type { Task } from "../core/task/task.ts";
import type { Log } from "../ports/log.ts";
import type { Store } from "../ports/store.ts";

const EVERY_MS = 5 * 60_000;

export interface HeartbeatOptions {
  /** Of a project, or of all. */
  readonly urls: (project: string | null) => Promise<readonly string[]>;
  readonly ping: (url: string) => Promise<void>;
  readonly store: Pick<Store, "tasks" | "events">;
  /** The pipeline of the task reports to the heartbeat when it ends. */
  readonly isNight: (task: Task) => Promise<boolean>;
  readonly log: Log;
  readonly everyMs?: number;
}

/**
 * Tells whoever watches that the daemon lives, and at the end of each night that it was worked: a watcher that hears
 * nothing raises the alarm that a dead machine cannot. Best effort; nothing waits for it. Returns the way to stop.
 */
export function startHeartbeat(options: HeartbeatOptions): () => void {
  const { urls, ping, store, isNight, log, everyMs = EVERY_MS } = options;
  const failing = new Set<string>();
  const timer = setInterval(() => void beat(null), everyMs);
  const unsubscribe = store.events.onEvents((events) => void afterNights(events).catch(() => undefined));
  void beat(null);
  return () => {
    clearInterval(timer);
    unsubscribe();
  };

  async function afterNights(events: readonly Event[]): Promise<void> {
    for (const { type, task: id } of events) {
      if (type !== "task.ended" || id === null) continue;
      const task = await store.tasks.getTask(id);
      if (task !== null && (await isNight(task))) await beat(task.project);
    }
  }

  async function beat(project: string | null): Promise<void> {
    // Whose they are is asked of the store, which may be closing.
    for (const url of await urls(project).catch(() => [])) void call(url);
  }

  /** The address is not told: whoever knows it can pretend to be this daemon. */
  async function call(url: string): Promise<void> {
    const { host } = new URL(url);
    try {
      await ping(url);
      if (failing.delete(url)) log.info(`the heartbeat reaches ${host} again`);
    } catch (error) {
      if (failing.has(url)) return;
      failing.add(url);
      log.warn("the heartbeat does not arrive; this is said once", {
        host,
        error: error instanceof Error ? error.message : String(error),
      });
    }
  }
}
