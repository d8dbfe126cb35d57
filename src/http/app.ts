import { type Context, Hono } from "hono";
import type { z } from "zod";
import type { Issue } from "../core/text/errors.ts";
import { authorize, type AuthDeps, type Caller, isAuthorized, viaOf } from "./auth.ts";
import { parseJson, readBody } from "./body.ts";
import { BASE, type Route } from "./contract/route.ts";
import { ROUTES, type RouteKey } from "./contract/routes.ts";
import type { HttpDeps } from "./deps.ts";
import { MAX_REPLAY, openEventFeed } from "./live/event-feed.ts";
import { type Address, checkOrigin } from "./guard.ts";
import { type StoredResponse, createIdempotency, fingerprint } from "./idempotency.ts";
import { createPage, PAGE_FOLDER } from "./page.ts";
import { problemResponse, RequestError, toProblem } from "./problem.ts";
import { channelRoutes } from "./routes/channels.ts";
import { costRoutes } from "./routes/costs.ts";
import { daemonRoutes } from "./routes/daemon.ts";
import { decisionLogRoutes } from "./routes/decision-log.ts";
import { decisionRoutes } from "./routes/decisions.ts";
import { forgeHookRoutes } from "./routes/forge-hooks.ts";
import type { Connection, Handlers, Input } from "./routes/handler.ts";
import { pipelineRoutes } from "./routes/pipelines.ts";
import { projectRoutes } from "./routes/projects.ts";
import { qualityRoutes } from "./routes/quality.ts";
import { reportRoutes } from "./routes/report.ts";
import { ruleRoutes } from "./routes/rules.ts";
import { runRoutes } from "./routes/runs.ts";
import { scheduleRoutes } from "./routes/schedules.ts";
import { sessionRoutes } from "./routes/session.ts";
import { taskPreviewRoutes } from "./routes/task-preview.ts";
import { taskRoutes } from "./routes/tasks.ts";
import { tokenRoutes } from "./routes/tokens.ts";
import { sseResponse, type SseSource } from "./live/sse.ts";

export interface App {
  readonly fetch: Hono["fetch"];
  readonly request: Hono["request"];
  /** Number of open streams on `/events`. */
  readonly watchers: () => number;
  /** Ends all streams, so that the server can close. */
  readonly close: () => void;
}

/** Events after which a person may have lost access. */
const ENDS_ACCESS: ReadonlySet<string> = new Set(["token.removed", "session.ended"]);

export interface AppOptions {
  readonly heartbeatMs: number;
  readonly stallMs: number;
  /** Readers of `/events` that are further behind get a `reset`. */
  readonly maxReplay: number;
}

const OPTIONS: AppOptions = { heartbeatMs: 15_000, stallMs: 30_000, maxReplay: MAX_REPLAY };

const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

export function createApp(deps: HttpDeps, address: Address, options: AppOptions = OPTIONS): App {
  const feed = openEventFeed(deps.store, options.maxReplay);
  const closing = new AbortController();
  const stream = (source: SseSource, connection: Connection) =>
    sseResponse(source, {
      ...options,
      ...connection,
      watchAccess: (wake) =>
        deps.store.events.onEvents((events) => {
          if (events.some(({ type }) => ENDS_ACCESS.has(type))) wake();
        }),
      closing: closing.signal,
      onError: (error) => deps.log.error("event stream failed", { error: String(error) }),
    });
  const handlers: Handlers<RouteKey> = {
    ...taskRoutes(deps),
    ...taskPreviewRoutes(deps),
    ...scheduleRoutes(deps),
    ...decisionRoutes(deps),
    ...decisionLogRoutes(deps),
    ...runRoutes(deps, { feed, stream }),
    ...pipelineRoutes(deps),
    ...channelRoutes(deps),
    ...projectRoutes(deps),
    ...forgeHookRoutes(deps),
    ...ruleRoutes(deps),
    ...sessionRoutes({ ...deps, address }),
    ...tokenRoutes(deps),
    ...costRoutes(deps),
    ...reportRoutes(deps),
    ...qualityRoutes(deps),
    ...daemonRoutes(deps),
  };

  const app = new Hono();
  app.use(async (c, next) => {
    checkOrigin(c.req.raw, address);
    await next();
  });
  const serve = createServe({ ...deps, address });
  for (const key of Object.keys(ROUTES) as RouteKey[]) {
    const [method = "", path = ""] = key.split(" ");
    // The cast is safe: key, route and handler belong together, which the compiler cannot see for a union of keys.
    const handler = handlers[key] as (input: Input<RouteKey>) => Promise<unknown>;
    app.on(method, `${BASE}${path}`, (c) => serve(c, ROUTES[key], handler));
  }
  const servePage = createPage(PAGE_FOLDER);
  app.get("*", async (c, next) => {
    const page = c.req.path.startsWith("/api/") ? null : await servePage(c.req.path);
    return page ?? (await next());
  });
  app.notFound((c) => {
    throw new RequestError(404, `There is no ${c.req.method} ${c.req.path}.`, {
      hint: `GET ${BASE}/openapi.json lists all routes.`,
    });
  });
  app.onError((error) => problemResponse(toProblem(error, deps.log)));

  return {
    fetch: async (...request) => secure(await app.fetch(...request)),
    request: async (...request) => secure(await app.request(...request)),
    watchers: feed.watchers,
    close() {
      closing.abort();
      feed.close();
    },
  };
}

/** Handles a request in this order: authorize, parse, check the idempotency key, call the handler. */
function createServe(deps: HttpDeps & AuthDeps) {
  const performOnce = createIdempotency(deps);
  return async (c: Context, row: Route, handler: (input: Input<RouteKey>) => Promise<unknown>): Promise<Response> => {
    const request = c.req.raw;
    const authenticate = () => authorize(request, row.right, deps, deps.clock.now());
    const early = await authenticate();
    const text = row.body === null ? "" : await readBody(request);
    // A body may take a minute to arrive, and the token may have been removed meanwhile.
    const caller = text === "" ? early : await authenticate();
    const key = ["POST", "DELETE"].includes(request.method) ? idempotencyKey(request, caller) : null;
    const input = {
      ...parseRequest(row, {
        params: c.req.param(),
        query: queryOf(request),
        body: row.body === null ? null : parseJson(text),
      }),
      actor: { kind: "person", name: caller.name, rights: caller.rights, via: viaOf(request) },
      caller,
      key,
      request,
      lastEventId: row.stream === null ? null : lastEventId(request),
      connection: {
        cut: () => c.env?.outgoing?.destroy(),
        isAllowed: () => isAuthorized(request, row.right, deps, deps.clock.now()),
      },
    } as Input<RouteKey>; // parsed by the row's own schemas
    const perform = async () => await handler(input);
    if (key === null || !row.replay) return toResponse(row, await perform());
    const result = await performOnce(key, fingerprint(request.method, c.req.path, text), async () =>
      toStored(row, await perform()),
    );
    return fromStored(result);
  };
}

function parseRequest(row: Route, given: { params: unknown; query: unknown; body: unknown }) {
  const params = row.params.safeParse(given.params);
  const query = row.query.safeParse(given.query);
  const body = row.body === null ? { success: true as const, data: null } : row.body.safeParse(given.body);
  if (params.success && query.success && body.success)
    return { params: params.data, query: query.data, body: body.data };
  const issues = [params, query, body].flatMap((result) => (result.success ? [] : toIssues(result.error)));
  const detail = issues.map(({ key, message }) => (key === "" ? message : `${key}: ${message}`)).join("; ");
  throw new RequestError(400, `The request is invalid: ${detail}.`, { issues });
}

function toIssues(error: z.ZodError): Issue[] {
  return error.issues.map((issue) => ({
    file: null,
    line: null,
    column: null,
    key: issue.path.map(String).join("."),
    message: isEmptyText(issue) ? "must not be empty" : issue.message,
  }));
}

function isEmptyText(issue: z.core.$ZodIssue): boolean {
  return issue.code === "too_small" && issue.origin === "string" && issue.minimum === 1;
}

/** Repeated parameters are joined to a list: `?status=a&status=b` equals `?status=a,b`. */
function queryOf(request: Request): Record<string, string> {
  const { searchParams } = new URL(request.url);
  return Object.fromEntries(
    [...new Set(searchParams.keys())].map((name) => [name, searchParams.getAll(name).join(",")]),
  );
}

/** The key includes the caller, so that a person cannot get the response to another person's request. */
function idempotencyKey(request: Request, caller: Caller): string | null {
  const key = request.headers.get("idempotency-key");
  if (key === null) return null;
  if (key.length > 0 && key.length <= 200) return `${caller.name}:${key}`;
  throw new RequestError(400, `The Idempotency-Key has ${key.length} characters; 1 to 200 are allowed.`);
}

function lastEventId(request: Request): number | null {
  const text = request.headers.get("last-event-id");
  if (text === null || text === "") return null;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new RequestError(400, `The Last-Event-ID "${text}" is not a number.`);
}

function toResponse(row: Route, result: unknown): Response {
  return result instanceof Response ? result : fromStored(toStored(row, result));
}

function toStored(row: Route, result: unknown): StoredResponse {
  return { status: row.status, body: row.ok === null ? "" : JSON.stringify(result) };
}

function fromStored({ status, body }: StoredResponse): Response {
  if (body === "") return new Response(null, { status });
  return new Response(body, { status, headers: { "content-type": "application/json" } });
}

function secure(response: Response): Response {
  // Files of the page have their own policy.
  for (const [name, value] of Object.entries(SECURITY_HEADERS))
    if (!response.headers.has(name)) response.headers.set(name, value);
  return response;
}
