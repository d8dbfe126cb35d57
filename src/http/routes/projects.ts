import { hasRight } from "../../core/task/requester.ts";
import { UserError } from "../../core/text/errors.ts";
import { withoutCredentials } from "../../core/text/without-credentials.ts";
import type { ProjectWithTrust } from "../../engine/commands/commands-contract.ts";
import { requireProject } from "../../engine/commands/require/require-project.ts";
import type { PendingTrust, ProjectSource } from "../../ports/projects.ts";
import type { PendingTrustJson } from "../contract/project.ts";
import type { HttpDeps } from "../deps.ts";
import { showMergeOrder } from "../views/merge-order-view.ts";
import { viewSettings } from "../views/settings-view.ts";
import { viewProject } from "../views/views.ts";
import type { Handlers } from "./handler.ts";

type ProjectRoutes =
  | "POST /projects/:name/checks"
  | "GET /projects"
  | "POST /projects"
  | "GET /projects/:name/trust"
  | "GET /projects/:name/settings"
  | "GET /projects/:name/merge-order"
  | "DELETE /projects/:name";

export function projectRoutes(deps: HttpDeps): Handlers<ProjectRoutes> {
  const { commands, store, pendingTrust, readSettings, checkSetup } = deps;
  return {
    async "GET /projects"() {
      return { projects: (await store.projects.listProjects()).map(viewProject) };
    },

    async "POST /projects"({ body, actor }) {
      const source = parseSource(body);
      const { project, pending }: ProjectWithTrust = await (body.accept === null
        ? commands.addProject(source, actor)
        : commands.acceptTrust(source, body.accept, actor));
      return { project: viewProject(project), pending: viewPending(project.name, pending) };
    },

    async "GET /projects/:name/trust"({ params, actor }) {
      const project = await requireProject(store, params.name);
      const pending = await pendingTrust(project, project.accepted);
      // A person who accepts a value has to see all of it, because hidden text could be a command.
      return viewPending(project.name, hasRight(actor, "admin") ? pending : withoutPasswords(pending));
    },

    async "GET /projects/:name/settings"({ params }) {
      return viewSettings(await readSettings(await requireProject(store, params.name)));
    },

    async "GET /projects/:name/merge-order"({ params }) {
      const { name } = await requireProject(store, params.name);
      return { merge_order: await showMergeOrder(deps, name) };
    },

    async "POST /projects/:name/checks"({ params, body }) {
      return { findings: [...(await checkSetup(await requireProject(store, params.name), body))] };
    },

    async "DELETE /projects/:name"({ params, query, actor }) {
      if (query.with_tasks) await commands.removeProjectTasks(params.name, actor);
      await commands.removeProject(params.name, actor);
      return null;
    },
  };
}

function parseSource({ path, url }: { readonly path: string | null; readonly url: string | null }): ProjectSource {
  if (path !== null) return { kind: "path", path };
  if (url !== null) return { kind: "url", url };
  throw new UserError("invalid", "A project needs either path or url.");
}

function withoutPasswords({ changes, ...pending }: PendingTrust): PendingTrust {
  return {
    ...pending,
    changes: changes.map(({ key, accepted, wanted }) => ({
      key,
      accepted: accepted === null ? null : withoutCredentials(accepted),
      wanted: wanted === null ? null : withoutCredentials(wanted),
    })),
  };
}

function viewPending(project: string, { hash, changes }: PendingTrust): PendingTrustJson {
  return { project, hash, changes: changes.map(({ key, accepted, wanted }) => ({ key, accepted, wanted })) };
}
