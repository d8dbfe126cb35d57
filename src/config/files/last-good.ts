import { ConfigError } from "../../core/text/errors.ts";

interface ProjectSource {
  readonly name: string;
  readonly path: string | null;
  readonly remote?: string;
  readonly accepted: string;
}

/** Keeps the last valid settings of each project, so that a mistake in a file does not stop the nightly run. */
export function keepLastGood<P extends ProjectSource, T>(read: (project: P) => Promise<T>) {
  const good = new Map<string, { readonly source: string; readonly found: T }>();

  async function current(project: P): Promise<T> {
    const found = await read(project);
    good.set(project.name, { source: locationKey(project), found });
    return found;
  }

  async function lastGood(project: P): Promise<T> {
    try {
      return await current(project);
    } catch (error) {
      const before = good.get(project.name);
      if (before === undefined || before.source !== locationKey(project) || !(error instanceof ConfigError))
        throw error;
      return before.found;
    }
  }

  return { current, lastGood };
}

/** A project with the same name but another location or other accepted permissions must not get the old settings. */
export function locationKey({ name, path, remote = "", accepted }: ProjectSource): string {
  return JSON.stringify([name, path, remote, accepted]);
}
