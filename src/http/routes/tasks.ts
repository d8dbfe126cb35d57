import type { HttpDeps } from "../deps.ts";
import { findTask, showTask, showTaskRows, withProcess } from "../lookup.ts";
import { UserError } from "../../core/text/errors.ts";
import { viewDiff } from "../views/diff-view.ts";
import { showMergeOrderOf } from "../views/merge-order-view.ts";
import { viewTaskPipeline } from "../views/pipeline-view.ts";
import { viewDocument, viewEvent } from "../views/views.ts";
import type { Handlers, Input } from "./handler.ts";
import { toDraft } from "./to-draft.ts";

type TaskRoutes =
  | "POST /tasks"
  | "GET /tasks"
  | "GET /task-counts"
  | "GET /tasks/:id"
  | "DELETE /tasks/:id"
  | "GET /tasks/:id/diff"
  | "GET /tasks/:id/documents/:kind"
  | "GET /tasks/:id/pipeline"
  | "GET /tasks/:id/events";

export function taskRoutes(deps: HttpDeps): Handlers<TaskRoutes> {
  const { commands, store, clock } = deps;
  return {
    async "POST /tasks"({ body, actor, key }) {
      const task = await commands.submit({ ...(await toDraft(store, body)), key }, actor);
      return await showTask(store, task, clock.now());
    },

    async "GET /tasks"({ query: { cursor = null, limit, ...query } }) {
      const { status, state, project, variants, ...search } = toFilter(query);
      const isSearch = Object.values(search).some((filter) => filter !== null);
      const filter = { status, state, project, variants, ...(isSearch && { search }) };
      const page = await store.tasks.listTasks({ ...filter, cursor, limit });
      return { tasks: await showTaskRows(store, page.rows, clock.now()), next: page.next };
    },

    async "GET /task-counts"({ query }) {
      return { counts: await store.tasks.countMatching(toFilter(query)) };
    },

    async "GET /tasks/:id"({ params }) {
      const task = await findTask(store, params.id);
      const shown = await showTask(store, task, clock.now());
      const runs = shown.runs.map((run) => withProcess(deps, run));
      return { ...shown, runs, merge_order: await showMergeOrderOf(deps, task) };
    },

    async "DELETE /tasks/:id"({ params, actor }) {
      const task = await findTask(store, params.id);
      await commands.remove(task.id, actor);
      return null;
    },

    async "GET /tasks/:id/diff"({ params, query: { since = null } }) {
      const task = await findTask(store, params.id);
      return viewDiff(task, await deps.readDiff(task, since), since);
    },

    async "GET /tasks/:id/documents/:kind"({ params: { id, kind }, query: { version } }) {
      const task = await findTask(store, id);
      const document = await store.tasks.getDocument(task.id, kind, version ?? null);
      if (document !== null) return viewDocument(document);
      const versions = task.documents.filter((each) => each.kind === kind).map((each) => each.version);
      throw new UserError(
        "not_found",
        versions.length === 0
          ? `${task.id} has no ${kind}.`
          : `${task.id} has no version ${version ?? ""} of the ${kind}. Versions: ${versions.join(", ")}.`,
      );
    },

    async "GET /tasks/:id/pipeline"({ params }) {
      const task = await findTask(store, params.id);
      return viewTaskPipeline(task, await deps.readTaskPipeline(task));
    },

    async "GET /tasks/:id/events"({ params, query: { after, limit } }) {
      const task = await findTask(store, params.id);
      const events = await store.events.listEvents({ after, task: task.id, limit });
      const more = events.length === limit;
      return { events: events.map(viewEvent), next: more ? (events.at(-1)?.id ?? null) : null };
    },
  };
}

function toFilter(query: Input<"GET /task-counts">["query"]) {
  const { status = null, state = null, project = null, pipeline = null, agent = null, tag = null, text = null } = query;
  return { status, state, project, pipeline, agent, tag, text, variants: "hide" } as const;
}
