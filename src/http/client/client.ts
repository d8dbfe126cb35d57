// Runs in Node and in browsers, so nothing here may depend on Node; node-client.ts adds the Node parts. It also loads with
// every command, so it imports only types from the contract and loads the stream parser on demand.
import type { z } from "zod";
import type { EventJson } from "../contract/event.ts";
import type { OutputPageJson } from "../contract/output.ts";
import type { RouteKey, Routes } from "../contract/routes.ts";
import { failOnProblem, ProblemError, UnreachableError, UnresponsiveError } from "./client-errors.ts";
import { sendWithFetch, type Send } from "./client-send.ts";
import { followStream } from "./client-stream.ts";

export type { BudgetJson, CostsJson } from "../contract/costs.ts";
export type { MergeOrderJson } from "../contract/merge-order.ts";
export type { ReportedTaskJson, ReportJson } from "../contract/report.ts";
export type { AgentJson, FindingJson, OutageJson, ParkedAgentJson } from "../contract/daemon.ts";
export type { EventJson } from "../contract/event.ts";
export type { DecisionJson } from "../contract/decision.ts";
export type { DiffJson } from "../contract/diff.ts";
export type { OutputPageJson, TranscriptEventJson } from "../contract/output.ts";
export type { PendingTrustJson, ProjectJson } from "../contract/project.ts";
export type { ProjectSettingsJson } from "../contract/project-settings.ts";
export type { ProposalJson, RuleJson } from "../contract/rule.ts";
export type { CheckJson, RunJson } from "../contract/run.ts";
export type { ImprovePreviewJson, SchedulesJson } from "../contract/schedule.ts";
export type { AppliedJson, DocumentJson, TaskJson } from "../contract/task.ts";
export type { ApiResponse, Call } from "./client-send.ts";
export { ProblemError, UnreachableError, UnresponsiveError };

const BASE = "/api/v1";

export interface ClientOptions {
  /** Such as `http://127.0.0.1:4816`. Empty on the page of the daemon itself. */
  readonly url: string;
  /** Null if a cookie signs the person in. */
  readonly token: string | null;
  /** Default: `fetch`. */
  readonly send?: Send;
}

export interface Client {
  /** `client.call("POST /tasks/:id/approve", { params: { id }, body: { plan_hash } })` */
  call<K extends CallableRoute>(route: K, ...input: CallInput<K>): Promise<Reply<K>>;
  /**
   * Yields events after the id `after`, or new ones. Reconnects without missing or repeating an event. Ends when the signal
   * aborts. Throws UnreachableError if it cannot reconnect. Without `task`, a reader that is too far behind continues with new
   * events after a call of `onReset`, and should reload what it shows.
   */
  events(options: EventOptions): AsyncGenerator<EventJson, void>;
  /** Yields a run's output from a byte offset until its end. */
  output(run: string, options: FollowOptions & { readonly offset?: number }): AsyncGenerator<OutputPageJson, void>;
}

export interface FollowOptions {
  readonly signal: AbortSignal;
}

export interface EventOptions extends FollowOptions {
  readonly after?: number;
  readonly task?: string;
  readonly onReset?: () => void;
  /** Called when the connection is established, and when it is lost and will be tried again. */
  readonly onConnection?: ((isConnected: boolean) => void) | undefined;
}

/** All routes except `/events`, which is only available as a stream. */
export type CallableRoute = Exclude<RouteKey, "GET /events">;

type In<S> = S extends z.ZodType ? z.input<S> : Record<string, never>;
type Out<S> = S extends z.ZodType ? z.output<S> : null;
type AllOptional<T> = string extends keyof T ? true : Partial<T> extends T ? true : false;
/** Optional if all properties of T are optional. */
type Part<Name extends string, T> =
  AllOptional<T> extends true ? { readonly [N in Name]?: T } : { readonly [N in Name]: T };

export type Reply<K extends RouteKey> = Out<Routes[K]["ok"]>;
export type CallOptions<K extends RouteKey> = Part<"params", In<Routes[K]["params"]>> &
  Part<"query", In<Routes[K]["query"]>> &
  Part<"body", In<Routes[K]["body"]>> & {
    /** Makes a mutation safe to retry. */
    readonly idempotencyKey?: string;
    readonly signal?: AbortSignal;
  };
type CallInput<K extends RouteKey> =
  AllOptional<CallOptions<K>> extends true ? [options?: CallOptions<K>] : [options: CallOptions<K>];

type Query = Readonly<Record<string, string | number | undefined>>;

/** Common shape of CallOptions of all routes. */
interface AnyOptions {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Query;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

export function createClient({ url, token, send = sendWithFetch }: ClientOptions): Client {
  const authorization: Readonly<Record<string, string>> = token === null ? {} : { authorization: `Bearer ${token}` };
  return {
    async call<K extends CallableRoute>(route: K, ...[options]: CallInput<K>): Promise<Reply<K>> {
      const { params = {}, query = {}, body = {}, idempotencyKey, signal }: AnyOptions = options ?? {};
      const [method = "", path = ""] = route.split(" ");
      // This route streams by default.
      const format = route === "GET /runs/:id/output" ? { format: "json" } : {};
      const response = await send(`${url}${BASE}${fillPath(path, params)}${formatQuery({ ...query, ...format })}`, {
        method,
        headers: {
          ...authorization,
          ...(method === "POST" && { "content-type": "application/json" }),
          ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
        },
        ...(method === "POST" && { body: JSON.stringify(body ?? {}) }),
        ...(signal !== undefined && { signal }),
      });
      await failOnProblem(response);
      // The server's tests validate its responses against the schemas of these types.
      return (response.status === 204 ? null : await response.json()) as Reply<K>;
    },

    async *events({ after, task, signal, onReset, onConnection }) {
      const address = `${url}${BASE}/events${formatQuery({ task })}`;
      const from = after ?? null;
      for await (const message of followStream({ address, authorization, signal, from, onConnection })) {
        if (message.event === "reset") onReset?.();
        if (message.event === undefined) yield JSON.parse(message.data) as EventJson; // see call
      }
    },

    async *output(run, { offset, signal }) {
      const address = `${url}${BASE}${fillPath("/runs/:id/output", { id: run })}`;
      for await (const message of followStream({ address, authorization, signal, from: offset ?? 0 })) {
        if (message.event === "end") return;
        yield JSON.parse(message.data) as OutputPageJson; // see call
      }
    },
  };
}

function fillPath(path: string, params: Readonly<Record<string, string>>): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
}

function formatQuery(query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
  return parameters.size === 0 ? "" : `?${parameters.toString()}`;
}
