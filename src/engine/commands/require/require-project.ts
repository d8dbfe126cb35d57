import { UserError } from "../../../core/text/errors.ts";
import { terminalLine } from "../../../core/text/terminal-text.ts";
import type { StoreReader } from "../../../ports/store-mutations.ts";
import type { Project } from "../../../ports/store.ts";

const MAX_NAME = 120;

export async function requireProject(store: Pick<StoreReader, "projects">, name: string): Promise<Project> {
  return (await store.projects.getProject(name)) ?? (await failUnknownProject(store, name));
}

export async function failUnknownProject(store: Pick<StoreReader, "projects">, name: string): Promise<never> {
  const known = (await store.projects.listProjects()).map((project) => project.name);
  throw new UserError(
    "not_found",
    `There is no project "${terminalLine(name, MAX_NAME)}". ${known.length === 0 ? "None is registered yet." : `Registered: ${known.join(", ")}.`}`,
    "Run `nightshift init` in its folder to register it.",
  );
}
