import { UserError } from "../../core/text/errors.ts";
import type { StoreReader } from "../../ports/store-mutations.ts";
import type { Project } from "../../ports/store.ts";

export async function requireProject(store: Pick<StoreReader, "projects">, name: string): Promise<Project> {
  return (await store.projects.getProject(name)) ?? (await failUnknownProject(store, name));
}

export async function failUnknownProject(store: Pick<StoreReader, "projects">, name: string): Promise<never> {
  const known = (await store.projects.listProjects()).map((project) => project.name);
  throw new UserError(
    "not_found",
    `There is no project "${name}". ${known.length === 0 ? "None is registered yet." : `Registered: ${known.join(", ")}.`}`,
    "`nightshift init` in its checkout registers it.",
  );
}
