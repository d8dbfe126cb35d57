import { UserError } from "../../core/text/errors.ts";
import type { HttpDeps } from "../deps.ts";
import type { EventFeed } from "../live/event-feed.ts";
import { findRun, findTask, showRuns, withProcess } from "../lookup.ts";
import { outputSource, readOutput } from "../live/output-feed.ts";
import { searchOutput } from "../live/search-output.ts";
import type { SseSource } from "../live/sse.ts";
import { viewRun } from "../views/views.ts";
import type { Connection, Handlers } from "./handler.ts";

type RunRoutes =
  | "GET /runs"
  | "GET /runs/:id"
  | "GET /runs/:id/prompt"
  | "GET /runs/:id/checks/:name/log"
  | "GET /runs/:id/output"
  | "GET /runs/:id/search"
  | "GET /events";

export interface LiveStreams {
  readonly feed: EventFeed;
  readonly stream: (source: SseSource, connection: Connection) => Response;
}

export function runRoutes(deps: HttpDeps, { feed, stream }: LiveStreams): Handlers<RunRoutes> {
  const { store, clock } = deps;
  return {
    async "GET /runs"({ query: { status, project, task, limit } }) {
      const taskId = task === undefined ? null : (await findTask(store, task)).id;
      const runs = await store.tasks.listRuns({
        task: taskId,
        status: status ?? null,
        project: project ?? null,
        limit,
      });
      return { runs: await showRuns(store, runs, clock.now()) };
    },

    async "GET /runs/:id"({ params }) {
      const run = await findRun(store, params.id);
      const view = viewRun(run, await store.tasks.shortenIds("run", [run.id]), clock.now());
      return withProcess(deps, view);
    },

    async "GET /runs/:id/checks/:name/log"({ params: { id, name }, query: { on, before } }) {
      const run = await findRun(store, id);
      const log = await deps.readCheckLog(run, { name, place: on, before });
      if (log === null)
        throw new UserError(
          "not_found",
          `${run.id} has no output of a check "${name}".`,
          "Checks of the engine itself print nothing; the task has their findings. Logs of old runs are removed.",
        );
      return { run: run.id, name, on, ...log };
    },

    async "GET /runs/:id/prompt"({ params }) {
      const { id } = await findRun(store, params.id);
      return { run: id, prompt: await deps.readPrompt(id) };
    },

    async "GET /runs/:id/output"({ params, query, lastEventId, connection }) {
      const run = await findRun(store, params.id);
      const offset = lastEventId ?? query.last_event_id ?? query.offset ?? 0;
      if (query.format === "json") return await readOutput(run, { offset, before: query.before, raw: query.raw }, deps);
      return stream(outputSource(run.id, offset, deps), connection);
    },

    async "GET /runs/:id/search"({ params, query: { q, errors, offset } }) {
      const run = await findRun(store, params.id);
      if (q === undefined && !errors)
        throw new UserError("invalid", "The search is empty.", "Set `q` to a text, or `errors` to true.");
      return await searchOutput(run, { text: q ?? null, errors, offset }, deps);
    },

    async "GET /events"({ query, lastEventId, connection }) {
      const task = query.task === undefined ? null : (await findTask(store, query.task)).id;
      return stream(feed.source(lastEventId ?? query.last_event_id ?? null, task), connection);
    },
  };
}
