import { join } from "node:path";
import { UserError } from "../../core/text/errors.ts";
import type { Log } from "../../ports/log.ts";
import { checkName, mirrorName } from "./names.ts";
import type { Person } from "./remote/network-env.ts";
import type { KeyedLock } from "./mirror/locks.ts";

/** Shared by all operations of this adapter. */
export interface GitContext {
  readonly mirrorsDir: string;
  readonly workspacesDir: string;
  /** What set-ups of projects made, see `SetupCache`. Next to the workspaces, so that copies can share blocks. */
  readonly cachesDir: string;
  readonly log: Log;
  readonly timeoutMs: number;
  /** Read once, on first use. */
  readonly person: () => Promise<Person>;
  /** Serializes changes of a task's directory. */
  readonly locks: KeyedLock;
}

export function mirrorPath(context: GitContext, project: string): string {
  return join(context.mirrorsDir, mirrorName(project));
}

export function unknownCommitError(project: string, commit: string): UserError {
  return new UserError(
    "not_found",
    `Commit ${commit} is not in the mirror of "${project}".`,
    "Sync the project first.",
  );
}

/** Separate from the mirror's objects, because every agent of the project can read those. */
export function rescuePath(mirror: string): string {
  return join(mirror, "rescue.git");
}

/**
 * Paths of a task. The checkouts are next to the engine's git directory. Records about them, unfinished builds and trash are
 * inside it: out of the agents' reach and on the same file system.
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

/** Lock key for removals. Removing a large checkout takes minutes, and the task's next run must not wait for it. */
export function removalKey(task: string): string {
  return `removal of ${task}`;
}

export interface TreePaths {
  readonly tree: string;
  readonly index: string;
  readonly record: string;
  /** Records what set-up created or changed. Missing if no set-up ran. */
  readonly setup: string;
}

export function treePaths(paths: TaskPaths, name: string): TreePaths {
  const known = join(paths.engine, "trees", checkName(name));
  return { tree: join(paths.dir, name), index: `${known}.index`, record: `${known}.json`, setup: `${known}.setup` };
}
