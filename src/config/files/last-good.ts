import { ConfigError } from "../../core/text/errors.ts";

interface Place {
  readonly name: string;
  readonly path: string | null;
  readonly remote?: string;
  readonly accepted: string;
}

/** Remembers what was read of each project when it could last be used: a slip of the pen at noon costs no night. */
export function keepLastGood<P extends Place, T>(read: (project: P) => Promise<T>) {
  const good = new Map<string, { readonly place: string; readonly found: T }>();

  async function current(project: P): Promise<T> {
    const found = await read(project);
    good.set(project.name, { place: placeKey(project), found });
    return found;
  }

  async function lastGood(project: P): Promise<T> {
    try {
      return await current(project);
    } catch (error) {
      const before = good.get(project.name);
      if (before === undefined || before.place !== placeKey(project) || !(error instanceof ConfigError)) throw error;
      return before.found;
    }
  }

  return { current, lastGood };
}

/** A project of the same name elsewhere, or with other rights, is another: what held for the one is nothing to it. */
export function placeKey({ name, path, remote = "", accepted }: Place): string {
  return JSON.stringify([name, path, remote, accepted]);
}
