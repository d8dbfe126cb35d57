import { lstatSync, readdirSync, readlinkSync } from "node:fs";
import { isAbsolute, join, relative, resolve } from "node:path";

/** An entry of Nightshift's home. Links lead to another place in the home. Paths are relative to the home. */
export type SelectedFile =
  | { readonly kind: "file" | "folder"; readonly path: string; readonly mode: number }
  | { readonly kind: "link"; readonly path: string; readonly target: string };

/** What a backup leaves out, for people. */
export const LEFT_OUT = [
  "mirrors of repositories (fetched again)",
  "checkouts of agents and their uncommitted files",
  "private homes and sessions of agents",
  "files of runs that are active during the backup (they are repeated)",
] as const;

/** Other files of the home, such as prompts that config.yaml names, belong to the person and are included. */
const EXCLUDED =
  /^(?:nightshift\.db(?:[-.].*)?|daemon\.json|path\.json|s|homes|before-restore-[^/]*|\.restore-[^/]*)$|\.(?:lock|new|partial)$/;
/** Git directories with unpublished work: rescued commits of a project, and commits of a task. */
const WORK = /^(?:mirrors\/[^/]+\/rescue\.git|workspaces\/[^/]+\/engine\.git)(?:\/|$)/;
const WORK_PARENT = /^(?:mirrors|workspaces)(?:\/[^/]+)?$/;
const WORK_TEMPORARY = /^workspaces\/[^/]+\/engine\.git\/(?:building|trash|trees)$/;
const RUN_TEMPORARY = /^runs\/[^/]+\/(?:.*\/)?(?:report|tmp|home|agent)$/;

/**
 * Lists the files of a backup. Files may be added and removed meanwhile, so the objects of git directories come after the
 * refs that name them.
 */
export function selectFiles(home: string, activeRuns: ReadonlySet<string>): readonly SelectedFile[] {
  const found: SelectedFile[] = [];
  const isIncluded = (path: string): boolean => {
    if (EXCLUDED.test(path) || WORK_TEMPORARY.test(path) || RUN_TEMPORARY.test(path)) return false;
    if (/^(?:mirrors|workspaces)(?:\/|$)/.test(path)) return WORK.test(path) || WORK_PARENT.test(path);
    return !activeRuns.has(/^runs\/([^/]+)$/.exec(path)?.[1] ?? "");
  };
  const visit = (dir: string): void => {
    for (const name of list(join(home, dir))) {
      const path = join(dir, name);
      const stats = isIncluded(path) ? lstatSync(join(home, path), { throwIfNoEntry: false }) : undefined;
      if (stats === undefined) continue;
      const mode = stats.mode & 0o777;
      const target = stats.isSymbolicLink() ? readLink(home, path) : null;
      if (stats.isFile()) found.push({ kind: "file", path, mode });
      if (target !== null) found.push({ kind: "link", path, target });
      if (!stats.isDirectory()) continue;
      found.push({ kind: "folder", path, mode });
      visit(path);
    }
  };
  visit("");
  return found.toSorted((a, b) => Number(a.path.includes("/objects/")) - Number(b.path.includes("/objects/")));
}

/** Returns null for a link that leads out of the home: its target would not be in the backup. */
function readLink(home: string, path: string): string | null {
  try {
    const target = relative(home, resolve(join(home, path, ".."), readlinkSync(join(home, path))));
    return isInside(target) ? target : null;
  } catch {
    return null;
  }
}

/** Whether a relative path stays inside its folder. */
export function isInside(path: string): boolean {
  return path !== "" && !isAbsolute(path) && !path.includes("\0") && !path.split("/").includes("..");
}

function list(dir: string): readonly string[] {
  try {
    return readdirSync(dir).toSorted();
  } catch {
    // The folder was removed meanwhile, or is not ours to read.
    return [];
  }
}
