import type { ProjectSource } from "../../../ports/workspace.ts";
import type { StepContext } from "../step-context.ts";

/** `HEAD`: the project was registered by its URL only, so the remote decides which branch is the default. */
export function sourceOf({
  ports,
  project,
  settings,
}: Pick<StepContext, "ports" | "project" | "settings">): ProjectSource {
  return {
    project: project.name,
    remote: project.remote,
    credentials: ports.forges.open(project, settings)?.credentialsFor(project.remote) ?? null,
    defaultBranch: settings.defaultBranch ?? (project.defaultBranch === "HEAD" ? null : project.defaultBranch),
  };
}
