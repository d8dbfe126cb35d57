import { createHash } from "node:crypto";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { PeopleStore } from "../ports/store.ts";
import { RequestError } from "./problem.ts";

export interface Answer {
  readonly status: number;
  readonly body: string;
}

export interface OnceDeps {
  readonly store: { readonly people: Pick<PeopleStore, "recallAnswer" | "keepAnswer"> };
  readonly clock: Clock;
  readonly log: Log;
}

/** Does the same request with the same key once; a repetition gets the first answer, also while the first is under way. */
export type Once = (key: string, request: string, perform: () => Promise<Answer>) => Promise<Answer>;

export function createOnce({ store, clock, log }: OnceDeps): Once {
  const underWay = new Map<string, { readonly request: string; readonly answer: Promise<Answer> }>();

  async function performOnce(key: string, request: string, perform: () => Promise<Answer>): Promise<Answer> {
    const kept = await store.people.recallAnswer(key);
    if (kept !== null) {
      demandSame(kept.request, request);
      return { status: kept.status, body: kept.body };
    }
    // Refusals are thrown past here and not kept: they changed nothing, so the request may be tried again.
    const answer = await perform();
    try {
      await store.people.keepAnswer(key, { request, ...answer }, clock.now());
    } catch (error) {
      // The work is done: a failure to remember that must not look like a failure to do it.
      log.warn("the answer for an idempotency key was not kept", { error: String(error) });
    }
    return answer;
  }

  return async (key, request, perform) => {
    const running = underWay.get(key);
    if (running !== undefined) {
      demandSame(running.request, request);
      return await running.answer;
    }
    const answer = performOnce(key, request, perform);
    underWay.set(key, { request, answer });
    try {
      return await answer;
    } finally {
      underWay.delete(key);
    }
  };
}

/** What makes two requests the same. */
export function fingerprint(method: string, path: string, body: string): string {
  return createHash("sha256").update(`${method} ${path}\n${body}`).digest("hex");
}

function demandSame(first: string, second: string): void {
  if (first === second) return;
  throw new RequestError(409, "This Idempotency-Key was used for another request.", {
    hint: "Use a new key for every new request.",
  });
}
