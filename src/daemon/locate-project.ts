import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pathExists } from "../config/files/paths.ts";
import { readProjectFile } from "../config/files/read-project.ts";
import { isPlainDirectory } from "../core/task/in-place.ts";
import { UserError } from "../core/text/errors.ts";
import { withoutCredentials } from "../core/text/without-credentials.ts";
import type { DetectedProject, ProjectSource } from "../ports/projects.ts";
import { detectProject, toName, type DetectOptions } from "./detect/detect.ts";
import type { Registry } from "./wire/registry.ts";

/** Derives name, path, remote and default branch of a project from a checkout, a plain directory or a repository URL. */
export async function locateProject(
  source: ProjectSource,
  env: Readonly<Record<string, string | undefined>>,
  registry: Registry,
): Promise<DetectedProject> {
  if (source.kind === "url") return fromUrl(source.url);
  const detected = await detectDirectory(source.path, { env, registry });
  const { written } = await readProjectFile(
    { dir: detected.dir, isPlain: isPlainDirectory(detected) },
    registry.format,
  );
  return {
    name: written.project ?? detected.name,
    path: detected.dir,
    remote: detected.remote,
    // The branch in the file takes effect through the settings, after it was accepted.
    defaultBranch: detected.defaultBranch,
  };
}

/** A directory that is not a git repository has neither a remote nor a branch, and tasks work directly in it. */
async function detectDirectory(
  path: string,
  options: DetectOptions,
): Promise<Pick<DetectedProject, "name" | "remote" | "defaultBranch"> & { readonly dir: string }> {
  const dir = await realpath(path).catch((error: unknown) => {
    throw new UserError(
      "invalid",
      `${path} cannot be used: ${error instanceof Error ? error.message : String(error)}.`,
    );
  });
  if (await isInRepository(dir)) return detectProject(dir, options);
  return { dir, name: toName(basename(dir)), remote: "", defaultBranch: "" };
}

/** Also if git cannot use the repository: then its error says why. */
async function isInRepository(dir: string): Promise<boolean> {
  for (let folder = dir; ; folder = dirname(folder)) {
    if (await pathExists(join(folder, ".git"))) return true;
    if (folder === dirname(folder)) return await pathExists(join(dir, "HEAD"));
  }
}

function fromUrl(url: string): DetectedProject {
  const name = /([^/:]+?)(?:\.git)?\/*$/.exec(url)?.[1];
  if (name === undefined || url.startsWith("-"))
    throw new UserError(
      "invalid",
      `"${withoutCredentials(url)}" is not the URL of a repository.`,
      "Use a URL that git clone accepts.",
    );
  // The first task asks the remote for its default branch.
  return { name: toName(name), path: null, remote: url, defaultBranch: "HEAD" };
}
