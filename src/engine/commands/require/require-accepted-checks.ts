import { ConfigError, UserError } from "../../../core/text/errors.ts";
import type { Project } from "../../../ports/store.ts";
import type { EnginePorts } from "../../ports.ts";

const CHECKS = "checks.";

/**
 * Returns the names of the project's checks that would not run as written, because a person has not accepted them. Throws a
 * UserError if there are any, unless the task was submitted without checks.
 */
export async function requireAcceptedChecks(
  ports: Pick<EnginePorts, "projects">,
  project: Project,
  withoutChecks: boolean,
): Promise<readonly string[]> {
  const unaccepted = await listUnacceptedChecks(ports, project);
  if (unaccepted.length === 0 || withoutChecks) return unaccepted;
  throw new UserError(
    "conflict",
    `The checks of "${project.name}" are not accepted yet (${unaccepted.join(", ")}), so they would not verify the change.`,
    'Run "nightshift trust" in its checkout to review and accept them, or submit the task with --without-checks.',
  );
}

async function listUnacceptedChecks(
  { projects }: Pick<EnginePorts, "projects">,
  project: Project,
): Promise<readonly string[]> {
  try {
    const { changes } = await projects.pendingTrust(project, project.accepted);
    // A removed check still runs as accepted, so nothing is missing.
    return changes
      .filter(({ key, wanted }) => key.startsWith(CHECKS) && wanted !== null)
      .map(({ key }) => key.slice(CHECKS.length));
  } catch (error) {
    // The files are broken, and the last valid settings apply. Reading the settings reports it.
    if (error instanceof ConfigError) return [];
    throw error;
  }
}
