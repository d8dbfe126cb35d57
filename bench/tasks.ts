import type { Client, EventJson } from "../src/http/client/client.ts";
import { PROJECT } from "./place.ts";

/** Hands tasks over and hears when they end, over one stream of events. */
export interface TaskRunner {
  /** From the request to the event that says it ended, in ms. */
  run(): Promise<number>;
  close(): Promise<void>;
}

export function openTaskRunner(client: Client): TaskRunner {
  const stop = new AbortController();
  const waiting = new Map<string, (event: EventJson) => void>();
  const heard = new Map<string, EventJson>();
  const following = follow();

  async function follow(): Promise<never> {
    // From the first event on, so that none is missed however late the stream stands.
    for await (const event of client.events({ signal: stop.signal, after: 0 })) {
      if (event.type !== "task.ended" || event.task === null) continue;
      heard.set(event.task, event);
      waiting.get(event.task)?.(event);
    }
    throw new Error("the daemon went away");
  }

  function ended(task: string): Promise<EventJson> {
    return new Promise((resolve) => {
      const known = heard.get(task);
      if (known === undefined) waiting.set(task, resolve);
      else resolve(known);
    });
  }

  return {
    async run() {
      const start = performance.now();
      const body = { project: PROJECT, pipeline: "chore", description: "Change a line" };
      const { id } = await client.call("POST /tasks", { body });
      const event = await Promise.race([ended(id), following]);
      const ms = performance.now() - start;
      if (event.data["status"] !== "succeeded") throw new Error(`task ${id}: ${event.summary}`);
      return ms;
    },
    async close() {
      stop.abort();
      await following.catch(() => undefined);
    },
  };
}
