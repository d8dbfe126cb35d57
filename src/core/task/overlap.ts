import { terminalLine } from "../text/terminal-text.ts";
import { newEvent } from "./event.ts";
import { CHANGING_ROLES, type Role } from "./role.ts";
import type { StepKind } from "./run.ts";
import type { DependencyMove } from "./dependencies.ts";
import type { Overlap, QueuedFor, Task } from "./task.ts";

const MAX_FILES_SHOWN = 3;
const MAX_TITLE = 60;

/** Roles whose runs belong to the work on a change before it is published. */
const WORKING_ROLES: readonly (Role | null)[] = [...CHANGING_ROLES, "verify", "describe"];

/** Whether a run works on the files of its task. Planning and reviewing do not. */
export function isWorkOnFiles({ step, role }: { readonly step: StepKind; readonly role: Role | null }): boolean {
  return step !== "agent" || WORKING_ROLES.includes(role);
}

/** The files that the newest plan names. A task without a plan claims none. */
export function plannedFiles({ plan }: Pick<Task, "plan">): readonly string[] {
  const files = plan?.["files"];
  if (!Array.isArray(files)) return [];
  const paths = files.flatMap((file) => (typeof file === "string" ? [normalize(file)] : []));
  return [...new Set(paths.filter((path) => path !== ""))];
}

function normalize(path: string): string {
  return path
    .trim()
    .replace(/^(\.\/)+/, "")
    .replace(/\/+$/, "");
}

/** The files of `mine` that `others` names too. A folder includes everything below it. */
export function findSharedFiles(mine: readonly string[], others: readonly string[]): readonly string[] {
  const theirs = new Set(others);
  const theirFolders = new Set(others.flatMap(parentsOf));
  return mine.filter(
    (path) => theirs.has(path) || theirFolders.has(path) || parentsOf(path).some((it) => theirs.has(it)),
  );
}

function parentsOf(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
}

/** Whether the task's next run is held because another task works on the same files. */
export function isHeldForOverlap({ queuedFor }: Pick<Task, "queuedFor">): boolean {
  return queuedFor?.overlap !== undefined;
}

/** A task whose next run is held until `other` no longer works on the shared files. */
export function holdForFiles(
  task: Task,
  { other, files }: { readonly other: Pick<Task, "id" | "title">; readonly files: readonly string[] },
  at: number,
): DependencyMove {
  const overlap: Overlap = { task: other.id, files };
  const reason = `It waits for ${other.id} (${terminalLine(other.title, MAX_TITLE)}): both plans name ${listFiles(files)}.`;
  const queuedFor: QueuedFor = { kind: "dependency", until: null, reason, overlap };
  const event = newEvent({
    at,
    task: task.id,
    type: "task.queued",
    summary: reason,
    data: { kind: queuedFor.kind, until: null, waits_for: other.id, files },
  });
  return { task: { ...task, queuedFor, updatedAt: at }, events: [event] };
}

function listFiles(files: readonly string[]): string {
  const shown = files.slice(0, MAX_FILES_SHOWN).map((file) => terminalLine(file, MAX_TITLE));
  const more = files.length - shown.length;
  return more === 0 ? shown.join(", ") : `${shown.join(", ")} and ${more} more`;
}
