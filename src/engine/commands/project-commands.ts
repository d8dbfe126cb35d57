import { newEvent, type Actor } from "../../core/task/event.ts";
import { isPlainDirectory } from "../../core/task/in-place.ts";
import { UserError } from "../../core/text/errors.ts";
import { withoutCredentials } from "../../core/text/without-credentials.ts";
import type { DetectedProject, PendingTrust, ProjectFiles, ProjectSource } from "../../ports/projects.ts";
import type { Project } from "../../ports/store.ts";
import type { EnginePorts, Host, SandboxAccess } from "../ports.ts";
import { withTaskLock } from "../transact.ts";
import type { ProjectWithTrust } from "./commands-contract.ts";
import { failUnknownProject } from "./require/require-project.ts";

type ProjectPorts = Pick<EnginePorts, "store" | "clock"> & {
  readonly host: Pick<Host, "detectProject">;
  readonly projects: Pick<ProjectFiles, "pendingTrust">;
  readonly sandbox: Pick<SandboxAccess, "refuseDirectories">;
};

/** `Project.accepted` of a project whose files are not trusted yet. */
const NOTHING_ACCEPTED = "{}";

/** Registers a project without trusting its files. Does not change a registered project. */
export function addProject(ports: ProjectPorts, source: ProjectSource, actor: Actor): Promise<ProjectWithTrust> {
  return withRegistrationLock(ports, async () => {
    const { detected, known, accepted, pending } = await inspectSource(ports, source);
    return { project: known ?? (await saveProject(ports, { ...detected, accepted }, actor)), pending };
  });
}

/** Accepts a project's current files if they match `hash`. Registers the project if needed. */
export function acceptTrust(
  ports: ProjectPorts,
  source: ProjectSource,
  hash: string,
  actor: Actor,
): Promise<ProjectWithTrust> {
  return withRegistrationLock(ports, async () => {
    const { detected, pending } = await inspectSource(ports, source);
    if (hash !== pending.hash) {
      throw new UserError(
        "conflict",
        `The files of "${detected.name}" changed since they were shown.`,
        `Review them again with \`nightshift trust\` or GET /projects/${detected.name}/trust.`,
      );
    }
    const project = await saveProject(ports, { ...detected, accepted: pending.wanted }, actor);
    return { project, pending: { ...pending, changes: [] } };
  });
}

/** Without the lock, two concurrent registrations could both find the same name or folder unused. */
function withRegistrationLock<T>(ports: ProjectPorts, work: () => Promise<T>): Promise<T> {
  return withTaskLock(ports, "register project", work);
}

interface InspectedSource {
  readonly detected: DetectedProject;
  readonly known: Project | null;
  readonly accepted: string;
  readonly pending: PendingTrust;
}

async function inspectSource(ports: ProjectPorts, source: ProjectSource): Promise<InspectedSource> {
  const { store, projects, host } = ports;
  const found = await host.detectProject(source);
  const registered = await store.projects.listProjects();
  const located = isPlainDirectory(found) ? requireUsable(ports, withFreeName(found, registered)) : found;
  requireSameName(located, registered);
  const known = await store.projects.getProject(located.name);
  const detected = { ...located, remote: restoreCredentials(located, known) };
  const accepted = previouslyAccepted(detected, known);
  return { detected, known, accepted, pending: await projects.pendingTrust(detected, accepted) };
}

/** Tasks of a directory without a repository work directly in it. */
function requireUsable({ sandbox }: ProjectPorts, plain: DetectedProject): DetectedProject {
  const problems = plain.path === null ? [] : sandbox.refuseDirectories([], plain.path);
  if (problems.length === 0) return plain;
  throw new UserError(
    "invalid",
    `No task can work in this directory:\n${problems.map((each) => `- ${each}`).join("\n")}`,
    "Use another directory, or make a git repository of it.",
  );
}

/** Directories often have the same name, such as "reports", and need no file that could give them another one. */
function withFreeName(plain: DetectedProject, registered: readonly Project[]): DetectedProject {
  const known = registered.find(({ path }) => path === plain.path);
  if (known !== undefined) return { ...plain, name: known.name };
  const names = new Set(registered.map(({ name }) => name));
  for (let number = 2, { name } = plain; ; name = `${plain.name}-${number++}`)
    if (!names.has(name)) return { ...plain, name };
}

/** Tasks and the ledger belong to the project's name, so a registered folder cannot change its name. */
function requireSameName(detected: DetectedProject, projects: readonly Project[]): void {
  const known = projects.find(({ name, path }) => path !== null && path === detected.path && name !== detected.name);
  if (known === undefined) return;
  throw new UserError(
    "conflict",
    `${detected.path} is registered as "${known.name}", but its name is now "${detected.name}". Its tasks and ledger belong to the registered name.`,
    `Set \`project: ${known.name}\` in nightshift.yaml. To start over as "${detected.name}", first run \`nightshift projects --remove ${known.name}\`.`,
  );
}

/** The API shows remotes without credentials. A client that sends such a URL back means the registered remote. */
function restoreCredentials({ path, remote }: DetectedProject, known: Project | null): string {
  return path === null && known !== null && remote === withoutCredentials(known.remote) ? known.remote : remote;
}

/** Trust belongs to a path and remote. Another repository with the same name does not inherit it. */
function previouslyAccepted(detected: DetectedProject, known: Project | null): string {
  if (known === null) return NOTHING_ACCEPTED;
  if (known.path === detected.path && known.remote === detected.remote) return known.accepted;
  if (known.path !== null && known.path === detected.path)
    throw new UserError(
      "conflict",
      `"${detected.name}" was registered with the remote ${withoutCredentials(known.remote)}, but its remote is now ${withoutCredentials(detected.remote)}.`,
      `Restore the remote. If the new one is right, run \`nightshift projects --remove ${known.name}\` and register the project again.`,
    );
  throw new UserError(
    "conflict",
    `"${detected.name}" is already the name of ${known.path ?? withoutCredentials(known.remote)}.`,
    `Set another \`project:\` in nightshift.yaml, or remove the old one with \`nightshift projects --remove ${known.name}\`.`,
  );
}

/** Stores a project. Only `addProject` and `acceptTrust` decide what `accepted` may contain. */
export async function saveProject(
  { store, clock }: Pick<EnginePorts, "store" | "clock">,
  project: Omit<Project, "acceptedAt" | "acceptedBy">,
  actor: Actor,
): Promise<Project> {
  const at = clock.now();
  const known = await store.projects.getProject(project.name);
  const saved: Project = { ...project, acceptedBy: actor.name, acceptedAt: at };
  const event = newEvent({
    at,
    type: known === null ? "project.registered" : "project.trusted",
    actor,
    summary: known === null ? `project ${project.name} registered` : `files of project ${project.name} accepted`,
    data: { project: project.name, path: project.path },
  });
  await store.projects.saveProject(saved, event);
  return saved;
}

/** Keeps the project's tasks, ledger and costs. */
export async function removeProject(
  { store, clock }: Pick<EnginePorts, "store" | "clock">,
  name: string,
  actor: Actor,
): Promise<void> {
  const event = newEvent({
    at: clock.now(),
    type: "project.removed",
    actor,
    summary: `project ${name} removed`,
    data: { project: name },
  });
  const removal = await store.projects.removeProject(name, event);
  switch (removal.kind) {
    case "removed":
      return;
    case "unknown":
      return await failUnknownProject(store, name);
    case "in_use":
      throw new UserError("conflict", `"${name}" has unfinished tasks, such as ${removal.task}.`, "Cancel them first.");
  }
}
