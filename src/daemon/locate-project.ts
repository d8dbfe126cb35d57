import { readProjectFile } from "../config/files/read-project.ts";
import { UserError } from "../core/text/errors.ts";
import type { DetectedProject, ProjectSource } from "../ports/projects.ts";
import { detectProject } from "./detect/detect.ts";
import type { Registry } from "./wire/registry.ts";

/** What a checkout, or the address of a repository, is as a project. */
export async function locateProject(
  place: ProjectSource,
  env: Readonly<Record<string, string | undefined>>,
  registry: Registry,
): Promise<DetectedProject> {
  if (place.kind === "url") return fromUrl(place.url);
  const detected = await detectProject(place.path, { env, registry });
  const { written } = await readProjectFile(detected.dir, registry.format);
  return {
    name: written.project ?? detected.name,
    path: detected.dir,
    remote: detected.remote,
    // What the file says about the branch counts once it is accepted, through the settings.
    defaultBranch: detected.defaultBranch,
  };
}

function fromUrl(url: string): DetectedProject {
  const name = /([^/:]+?)(?:\.git)?\/*$/.exec(url)?.[1];
  if (name === undefined || url.startsWith("-"))
    throw new UserError("invalid", `"${url}" is no address of a repository`, "give the URL that git clone takes");
  // Which branch is the default one is the remote's word, asked at the first task.
  return { name, path: null, remote: url, defaultBranch: "HEAD" };
}
