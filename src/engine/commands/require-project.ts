import { UserError } from "../../core/text/errors.ts";
import type { Project, Store } from "../../ports/store.ts";

export async function requireProject(
  store: Pick<Store, "getProject" | "listProjects">,
  name: string,
): Promise<Project> {
  return (await store.getProject(name)) ?? (await failUnknownProject(store, name));
}

export async function failUnknownProject(store: Pick<Store, "listProjects">, name: string): Promise<never> {
  const known = (await store.listProjects()).map((project) => project.name);
  throw new UserError(
    "not_found",
    `There is no project "${name}". ${known.length === 0 ? "None is registered yet." : `Registered: ${known.join(", ")}.`}`,
    "`nightshift init` in its checkout registers it.",
  );
}
