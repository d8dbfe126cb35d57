import { join } from "node:path";
import type { Log } from "../../ports/log.ts";
import { checkName, mirrorName } from "./names.ts";
import type { Person } from "./remote/network-env.ts";
import type { Turns } from "./mirror/turns.ts";

/** What every verb of this adapter is given. */
export interface GitContext {
  readonly mirrorsDir: string;
  readonly workspacesDir: string;
  readonly log: Log;
  readonly patienceMs: number;
  /** Read once, when first needed. */
  readonly person: () => Promise<Person>;
  /** One change of a task's directory at a time. */
  readonly turns: Turns;
}

export function mirrorPath(context: GitContext, project: string): string {
  return join(context.mirrorsDir, mirrorName(project));
}

/** Beside the mirror's objects, not among them: those every agent of the project can read. */
export function rescuePath(mirror: string): string {
  return join(mirror, "rescue.git");
}

/**
 * Where a task's things are. The trees stand beside the engine's git directory; what is known about each tree, what is
 * being built and what is being thrown away lies inside it, out of the reach of agents and on the same file system.
 */
export interface TaskPaths {
  readonly dir: string;
  readonly engine: string;
  readonly building: string;
  readonly trash: string;
}

export function taskPaths(context: GitContext, task: string): TaskPaths {
  const dir = join(context.workspacesDir, checkName(task));
  const engine = join(dir, "engine.git");
  return { dir, engine, building: join(engine, "building"), trash: join(engine, "trash") };
}

/** To remove a large tree takes minutes, and the task's next run must not wait for it: it has turns of its own. */
export function removalOf(task: string): string {
  return `removal of ${task}`;
}

export interface TreePaths {
  readonly tree: string;
  readonly index: string;
  readonly record: string;
  /** How set-up left what it made or changed; missing where none ran. */
  readonly setup: string;
}

export function treePaths(paths: TaskPaths, name: string): TreePaths {
  const known = join(paths.engine, "trees", checkName(name));
  return { tree: join(paths.dir, name), index: `${known}.index`, record: `${known}.json`, setup: `${known}.setup` };
}
