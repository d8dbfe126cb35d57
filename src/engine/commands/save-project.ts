import type { Actor } from "../../core/task/event.ts";
import type { Project } from "../../ports/store.ts";
import type { EnginePorts } from "../ports.ts";

/** Stores a project. Only `add-project.ts` decides what `accepted` may contain. */
export async function saveProject(
  { store, clock }: Pick<EnginePorts, "store" | "clock">,
  project: Omit<Project, "acceptedAt" | "acceptedBy">,
  actor: Actor,
): Promise<Project> {
  const at = clock.now();
  const known = await store.projects.getProject(project.name);
  const saved: Project = { ...project, acceptedBy: actor.name, acceptedAt: at };
  await store.projects.saveProject(saved, {
    at,
    task: null,
    run: null,
    type: known === null ? "project.registered" : "project.trusted",
    level: "info",
    actor,
    summary: known === null ? `project ${project.name} registered` : `files of project ${project.name} accepted`,
    data: { project: project.name, path: project.path },
  });
  return saved;
}
