import { UserError } from "../../core/text/errors.ts";
import { withoutCredentials } from "../../core/forge/remote-address.ts";
import { ENDED_STATUSES, TASK_STATUSES } from "../../core/task/task.ts";
import type { Project, Store } from "../../ports/store.ts";
import type { PendingTrustJson } from "../contract/project.ts";
import type { FoundProject, HttpDeps, PendingTrust, ProjectPlace } from "../deps.ts";
import { viewProject } from "../views/views.ts";
import type { Handlers } from "./handler.ts";

type ProjectRoutes = "GET /projects" | "POST /projects" | "GET /projects/:name/trust" | "DELETE /projects/:name";

/** What a project has accepted before anybody accepted anything. */
export const NOTHING_ACCEPTED = "{}";

const UNFINISHED = TASK_STATUSES.filter((status) => !ENDED_STATUSES.includes(status));

export function projectRoutes({ commands, store, findProject, pendingTrust }: HttpDeps): Handlers<ProjectRoutes> {
  return {
    async "GET /projects"() {
      return { projects: (await store.projects.listProjects()).map(viewProject) };
    },

    async "POST /projects"({ body, actor }) {
      const found = await findProject(placeOf(body));
      requireOwnFolder(found, await store.projects.listProjects());
      const known = await store.projects.getProject(found.name);
      const accepted = acceptedBefore(found, known);
      const pending = await pendingTrust(found, accepted);
      if (body.accept === null) {
        const project = known ?? (await commands.registerProject({ ...found, accepted }, actor));
        return { project: viewProject(project), pending: viewPending(found.name, pending) };
      }
      if (body.accept !== pending.hash) {
        throw new UserError(
          "conflict",
          `The files of "${found.name}" are not those that were shown.`,
          `Look at them again: \`nightshift trust\` or GET /projects/${found.name}/trust.`,
        );
      }
      const project = await commands.registerProject({ ...found, accepted: pending.wanted }, actor);
      return { project: viewProject(project), pending: viewPending(found.name, { ...pending, changes: [] }) };
    },

    async "GET /projects/:name/trust"({ params }) {
      const project = await knownProject(store, params.name);
      return viewPending(project.name, await pendingTrust(project, project.accepted));
    },

    async "DELETE /projects/:name"({ params }) {
      const { name } = await knownProject(store, params.name);
      const { rows } = await store.tasks.listTasks({
        status: UNFINISHED,
        state: null,
        project: name,
        cursor: null,
        limit: 1,
      });
      const [unfinished] = rows;
      if (unfinished !== undefined) {
        throw new UserError(
          "conflict",
          `"${name}" has unfinished tasks, such as ${unfinished.id}.`,
          "Cancel them first.",
        );
      }
      await store.projects.removeProject(name);
      return null;
    },
  };
}

function placeOf({ path, url }: { readonly path: string | null; readonly url: string | null }): ProjectPlace {
  if (path !== null) return { kind: "path", path };
  if (url !== null) return { kind: "url", url };
  throw new UserError("invalid", "A project needs either path or url.");
}

/** A folder is one project, with its tasks and its ledger: under a second name it would have neither. */
function requireOwnFolder(found: FoundProject, projects: readonly Project[]): void {
  const known = projects.find(({ name, path }) => path !== null && path === found.path && name !== found.name);
  if (known === undefined) return;
  throw new UserError(
    "conflict",
    `${found.path} is registered as "${known.name}" and calls itself "${found.name}" now; a project keeps its name, and its tasks and ledger with it.`,
    `Write \`project: ${known.name}\` in nightshift.yaml; or, to begin anew as "${found.name}", first \`nightshift projects --remove ${known.name}\`.`,
  );
}

/** What was accepted holds for the place where it was accepted: another repository of the same name gets none of it. */
function acceptedBefore(found: FoundProject, known: Project | null): string {
  if (known === null) return NOTHING_ACCEPTED;
  if (known.path === found.path && known.remote === found.remote) return known.accepted;
  if (known.path !== null && known.path === found.path)
    throw new UserError(
      "conflict",
      `"${found.name}" was registered with the remote ${withoutCredentials(known.remote)} and has ${withoutCredentials(found.remote)} now.`,
      `Set the remote back; or, if that is right, \`nightshift projects --remove ${known.name}\` and register it again.`,
    );
  throw new UserError(
    "conflict",
    `"${found.name}" is already the name of ${known.path ?? withoutCredentials(known.remote)}.`,
    "Set another `project:` in nightshift.yaml, or forget the old one: `nightshift projects --remove` its name.",
  );
}

async function knownProject(store: Store, name: string): Promise<Project> {
  const project = await store.projects.getProject(name);
  if (project !== null) return project;
  const names = (await store.projects.listProjects()).map((known) => known.name);
  const known = names.length === 0 ? "None is registered yet." : `Registered: ${names.join(", ")}.`;
  throw new UserError(
    "not_found",
    `There is no project "${name}". ${known}`,
    "`nightshift init` in its checkout registers it.",
  );
}

function viewPending(project: string, { hash, changes }: PendingTrust): PendingTrustJson {
  return { project, hash, changes: changes.map(({ key, accepted, wanted }) => ({ key, accepted, wanted })) };
}
