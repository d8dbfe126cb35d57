import { withoutCredentials } from "../../core/forge/remote-address.ts";
import type { Actor } from "../../core/task/event.ts";
import { UserError } from "../../core/text/errors.ts";
import type { DetectedProject, PendingTrust, ProjectFiles, ProjectSource } from "../../ports/projects.ts";
import type { Project } from "../../ports/store.ts";
import type { EnginePorts, Host } from "../ports.ts";
import { withTaskLock } from "../task-lock.ts";
import type { ProjectWithTrust } from "./commands-contract.ts";
import { saveProject } from "./save-project.ts";

type ProjectPorts = Pick<EnginePorts, "store" | "clock"> & {
  readonly host: Pick<Host, "detectProject">;
  readonly projects: Pick<ProjectFiles, "pendingTrust">;
};

/** `Project.accepted` of a project whose files nobody has accepted. */
const NOTHING_ACCEPTED = "{}";

/** Registers a project without trusting its files. A project that is known stays as it is. */
export function addProject(ports: ProjectPorts, source: ProjectSource, actor: Actor): Promise<ProjectWithTrust> {
  return oneAtATime(ports, async () => {
    const { detected, known, accepted, pending } = await lookAt(ports, source);
    return { project: known ?? (await saveProject(ports, { ...detected, accepted }, actor)), pending };
  });
}

/** Accepts a project's files as they are now, if they are those that `hash` names. Registers the project if needed. */
export function acceptTrust(
  ports: ProjectPorts,
  source: ProjectSource,
  hash: string,
  actor: Actor,
): Promise<ProjectWithTrust> {
  return oneAtATime(ports, async () => {
    const { detected, pending } = await lookAt(ports, source);
    if (hash !== pending.hash) {
      throw new UserError(
        "conflict",
        `The files of "${detected.name}" are not those that were shown.`,
        `Look at them again: \`nightshift trust\` or GET /projects/${detected.name}/trust.`,
      );
    }
    const project = await saveProject(ports, { ...detected, accepted: pending.wanted }, actor);
    return { project, pending: { ...pending, changes: [] } };
  });
}

/** Two registrations at the same time could both find that a name or a folder is free. */
function oneAtATime<T>(ports: ProjectPorts, work: () => Promise<T>): Promise<T> {
  return withTaskLock(ports, "register project", work);
}

interface Found {
  readonly detected: DetectedProject;
  readonly known: Project | null;
  readonly accepted: string;
  readonly pending: PendingTrust;
}

async function lookAt({ store, projects, host }: ProjectPorts, source: ProjectSource): Promise<Found> {
  const detected = await host.detectProject(source);
  requireOwnFolder(detected, await store.projects.listProjects());
  const known = await store.projects.getProject(detected.name);
  const accepted = acceptedBefore(detected, known);
  return { detected, known, accepted, pending: await projects.pendingTrust(detected, accepted) };
}

/** A folder is one project, with its tasks and its ledger: under a second name it would have neither. */
function requireOwnFolder(found: DetectedProject, projects: readonly Project[]): void {
  const known = projects.find(({ name, path }) => path !== null && path === found.path && name !== found.name);
  if (known === undefined) return;
  throw new UserError(
    "conflict",
    `${found.path} is registered as "${known.name}" and calls itself "${found.name}" now; a project keeps its name, and its tasks and ledger with it.`,
    `Write \`project: ${known.name}\` in nightshift.yaml; or, to begin anew as "${found.name}", first \`nightshift projects --remove ${known.name}\`.`,
  );
}

/** What was accepted holds for the place where it was accepted: another repository of the same name gets none of it. */
function acceptedBefore(found: DetectedProject, known: Project | null): string {
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
