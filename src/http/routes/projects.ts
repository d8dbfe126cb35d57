import { UserError } from "../../core/text/errors.ts";
import type { ProjectWithTrust } from "../../engine/commands/commands-contract.ts";
import { requireProject } from "../../engine/commands/require-project.ts";
import type { PendingTrust, ProjectSource } from "../../ports/projects.ts";
import type { PendingTrustJson } from "../contract/project.ts";
import type { HttpDeps } from "../deps.ts";
import { viewProject } from "../views/views.ts";
import type { Handlers } from "./handler.ts";

type ProjectRoutes =
  | "POST /projects/:name/checks"
  | "GET /projects"
  | "POST /projects"
  | "GET /projects/:name/trust"
  | "DELETE /projects/:name";

export function projectRoutes({ commands, store, pendingTrust, checkSetup }: HttpDeps): Handlers<ProjectRoutes> {
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

    async "GET /projects/:name/trust"({ params }) {
      const project = await requireProject(store, params.name);
      return viewPending(project.name, await pendingTrust(project, project.accepted));
    },

    async "POST /projects/:name/checks"({ params, body }) {
      return { findings: [...(await checkSetup(await requireProject(store, params.name), body))] };
    },

    async "DELETE /projects/:name"({ params, actor }) {
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

function viewPending(project: string, { hash, changes }: PendingTrust): PendingTrustJson {
  return { project, hash, changes: changes.map(({ key, accepted, wanted }) => ({ key, accepted, wanted })) };
}
