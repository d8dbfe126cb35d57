import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { type CallableRoute, type CallOptions, ProblemError, type Reply } from "../../../src/http/client/client.ts";
import { api } from "./client.ts";

type WriteRoute = Exclude<CallableRoute, `GET ${string}`>;
type ActionInput<K extends WriteRoute> = Omit<CallOptions<K>, "signal" | "idempotencyKey">;

export interface Action<K extends WriteRoute> {
  /** Sends the request. Resolves to null if it failed; `error` then says why. Ignores calls while one is on its way. */
  run(input: ActionInput<K>): Promise<Reply<K> | Done | null>;
  /** Like `run`, but returns the error, for callers that send several requests in a row. */
  send(input: ActionInput<K>): Promise<Error | null>;
  readonly isBusy: boolean;
  readonly error: Error | null;
  reset(): void;
}

/** The result of a route without a response body. */
export const DONE = Symbol("done");
type Done = typeof DONE;

/**
 * Something that a person does. If the connection is lost, the person may press again: the same input is sent with the same
 * `Idempotency-Key`, so it has an effect only once.
 */
export function useAction<K extends WriteRoute>(route: K): Action<K> {
  const client = useQueryClient();
  const [state, setState] = useState<{ readonly isBusy: boolean; readonly error: Error | null }>(IDLE);
  const isBusy = useRef(false);
  const unanswered = useRef<{ readonly input: string; readonly key: string } | null>(null);

  async function call(input: ActionInput<K>): Promise<Reply<K> | Done | Error> {
    if (isBusy.current) return new Error("The same action is still on its way.");
    isBusy.current = true;
    setState({ isBusy: true, error: null });
    const text = JSON.stringify(input);
    const key = unanswered.current?.input === text ? unanswered.current.key : crypto.randomUUID();
    unanswered.current = { input: text, key };
    try {
      // The cast is safe: `call` takes the same input and a key.
      const reply = (await api.call(route, { ...input, idempotencyKey: key } as never)) as Reply<K>;
      unanswered.current = null;
      setState(IDLE);
      void client.invalidateQueries({ predicate: ({ meta }) => meta?.["live"] !== false });
      return reply ?? DONE;
    } catch (error) {
      if (error instanceof ProblemError) unanswered.current = null;
      const failure = error instanceof Error ? error : new Error(String(error));
      setState({ isBusy: false, error: failure });
      return failure;
    } finally {
      isBusy.current = false;
    }
  }

  return {
    run: async (input) => {
      const reply = await call(input);
      return reply instanceof Error ? null : reply;
    },
    send: async (input) => {
      const reply = await call(input);
      return reply instanceof Error ? reply : null;
    },
    ...state,
    reset: () => setState(IDLE),
  };
}

const IDLE = { isBusy: false, error: null };
