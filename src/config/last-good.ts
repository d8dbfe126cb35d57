import { ConfigError } from "../core/errors.ts";
import type { Settings } from "../core/settings.ts";

interface Place {
  readonly name: string;
}

/** Remembers what each project's files said when they could last be used: a slip of the pen at noon costs no night. */
export function keepLastGood<P extends Place>(read: (project: P) => Promise<Settings>) {
  const good = new Map<string, Settings>();

  async function settings(project: P): Promise<Settings> {
    const now = await read(project);
    good.set(project.name, now);
    return now;
  }

  async function lastGood(project: P): Promise<Settings> {
    try {
      return await settings(project);
    } catch (error) {
      const before = good.get(project.name);
      if (before === undefined || !(error instanceof ConfigError)) throw error;
      return before;
    }
  }

  return { settings, lastGood };
}
