// Runs in Node and in browsers, so nothing here may need Node: node-client.ts passes in what does. It also runs at the start
// of every command, so it imports only types from the contract and loads the stream parser when it is needed.
import type { z } from "zod";
import type { EventJson } from "../contract/event.ts";
import type { OutputPageJson } from "../contract/output.ts";
import type { RouteKey, Routes } from "../contract/routes.ts";
import { failOnProblem, ProblemError, UnreachableError } from "./client-errors.ts";
import { sendWithFetch, type Send } from "./client-send.ts";
import { followStream } from "./client-stream.ts";

export type { BudgetJson, CostsJson } from "../contract/costs.ts";
export type { EventJson } from "../contract/event.ts";
export type { OutputPageJson, TranscriptEventJson } from "../contract/output.ts";
export type { PendingTrustJson, ProjectJson } from "../contract/project.ts";
export type { ProposalJson, RuleJson } from "../contract/rule.ts";
export type { CheckJson, RunJson } from "../contract/run.ts";
export type { ImprovePreviewJson, SchedulesJson } from "../contract/schedule.ts";
export type { TaskJson } from "../contract/task.ts";
export type { ApiResponse, Call } from "./client-send.ts";
export { ProblemError, UnreachableError };

const BASE = "/api/v1";

export interface ClientOptions {
  /** Such as `http://127.0.0.1:4816`. */
  readonly url: string;
  readonly token: string;
  /** Sends a request and reads its whole answer. Uses `fetch` if left out. */
  readonly send?: Send;
}

export interface Client {
  /** `client.call("POST /tasks/:id/approve", { params: { id }, body: { plan_hash } })` */
  call<K extends CallableRoute>(route: K, ...input: CallInput<K>): Promise<Reply<K>>;
  /**
   * Events from `after` on, or from now; reconnects by itself without missing or repeating one. Ends when the signal
   * aborts; throws UnreachableError when the daemon stays away.
   */
  events(options: FollowOptions & { readonly after?: number; readonly task?: string }): AsyncGenerator<EventJson, void>;
  /** A run's output from a byte offset on, until the run has ended and all of it was read. */
  output(run: string, options: FollowOptions & { readonly offset?: number }): AsyncGenerator<OutputPageJson, void>;
}

export interface FollowOptions {
  readonly signal: AbortSignal;
}

/** Every route that answers with JSON or nothing; `/events` is a stream only. */
export type CallableRoute = Exclude<RouteKey, "GET /events">;

type In<S> = S extends z.ZodType ? z.input<S> : Record<string, never>;
type Out<S> = S extends z.ZodType ? z.output<S> : null;
type AllOptional<T> = string extends keyof T ? true : Partial<T> extends T ? true : false;
/** Needed only where something in it is. */
type Part<Name extends string, T> =
  AllOptional<T> extends true ? { readonly [N in Name]?: T } : { readonly [N in Name]: T };

export type Reply<K extends RouteKey> = Out<Routes[K]["ok"]>;
export type CallOptions<K extends RouteKey> = Part<"params", In<Routes[K]["params"]>> &
  Part<"query", In<Routes[K]["query"]>> &
  Part<"body", In<Routes[K]["body"]>> & {
    /** Makes a mutation safe to repeat. */
    readonly idempotencyKey?: string;
    readonly signal?: AbortSignal;
  };
type CallInput<K extends RouteKey> =
  AllOptional<CallOptions<K>> extends true ? [options?: CallOptions<K>] : [options: CallOptions<K>];

type Query = Readonly<Record<string, string | number | undefined>>;

/** The shape that every CallOptions has, whatever the route. */
interface AnyOptions {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Query;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

export function createClient({ url, token, send = sendWithFetch }: ClientOptions): Client {
  const authorization = `Bearer ${token}`;
  return {
    async call<K extends CallableRoute>(route: K, ...[options]: CallInput<K>): Promise<Reply<K>> {
      const given: AnyOptions = options ?? {};
      const [method = "", path = ""] = route.split(" ");
      // The one route that streams unless asked for a page.
      const query = route === "GET /runs/:id/output" ? { ...given.query, format: "json" } : given.query;
      const response = await send(`${url}${BASE}${fill(path, given.params ?? {})}${search(query ?? {})}`, {
        method,
        headers: {
          authorization,
          ...(method === "POST" && { "content-type": "application/json" }),
          ...(given.idempotencyKey !== undefined && { "idempotency-key": given.idempotencyKey }),
        },
        ...(method === "POST" && { body: JSON.stringify(given.body ?? {}) }),
        ...(given.signal !== undefined && { signal: given.signal }),
      });
      await failOnProblem(response);
      // The server's tests hold its answers to the same schemas that these types come from.
      return (response.status === 204 ? null : await response.json()) as Reply<K>;
    },

    async *events({ after, task, signal }) {
      const address = `${url}${BASE}/events${search({ task })}`;
      for await (const message of followStream({ address, authorization, signal, from: after ?? null })) {
        if (message.event === undefined) yield JSON.parse(message.data) as EventJson; // see call
      }
    },

    async *output(run, { offset, signal }) {
      const address = `${url}${BASE}${fill("/runs/:id/output", { id: run })}`;
      for await (const message of followStream({ address, authorization, signal, from: offset ?? 0 })) {
        if (message.event === "end") return;
        yield JSON.parse(message.data) as OutputPageJson; // see call
      }
    },
  };
}

function fill(path: string, params: Readonly<Record<string, string>>): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
}

function search(query: Query): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  return given.size === 0 ? "" : `?${given.toString()}`;
}
