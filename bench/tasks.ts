import type { Client, EventJson } from "../src/http/client/client.ts";
import { PROJECT } from "./environment.ts";

/** Submits tasks and waits for their end through one event stream. */
export interface TaskRunner {
  /** Time from the request to the end event, in ms. */
  run(): Promise<number>;
  close(): Promise<void>;
}

export function openTaskRunner(client: Client): TaskRunner {
  const stop = new AbortController();
  const waiting = new Map<string, (event: EventJson) => void>();
  const heard = new Map<string, EventJson>();
  const following = follow();

  async function follow(): Promise<never> {
    // From the first event, so that none is missed if the stream opens late.
    for await (const event of client.events({ signal: stop.signal, after: 0 })) {
      if (event.type !== "task.ended" || event.task === null) continue;
      heard.set(event.task, event);
      waiting.get(event.task)?.(event);
    }
    throw new Error("the daemon ended");
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
