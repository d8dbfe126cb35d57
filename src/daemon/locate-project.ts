import { readProjectFile } from "../config/files/read-project.ts";
import { UserError } from "../core/text/errors.ts";
import { withoutCredentials } from "../core/text/without-credentials.ts";
import type { DetectedProject, ProjectSource } from "../ports/projects.ts";
import { detectProject, toName } from "./detect/detect.ts";
import type { Registry } from "./wire/registry.ts";

/** Derives name, path, remote and default branch of a project from a checkout or a repository URL. */
export async function locateProject(
  source: ProjectSource,
  env: Readonly<Record<string, string | undefined>>,
  registry: Registry,
): Promise<DetectedProject> {
  if (source.kind === "url") return fromUrl(source.url);
  const detected = await detectProject(source.path, { env, registry });
  const { written } = await readProjectFile(detected.dir, registry.format);
  return {
    name: written.project ?? detected.name,
    path: detected.dir,
    remote: detected.remote,
    // The branch in the file takes effect through the settings, after it was accepted.
    defaultBranch: detected.defaultBranch,
  };
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
