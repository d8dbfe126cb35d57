import { lstatSync, rmdirSync, unlinkSync } from "node:fs";
import { extname } from "node:path";
import { UserError } from "../../../core/text/errors.ts";
import { covers } from "../../../policy/access/path-rules.ts";
import { terminalLine } from "../../../core/text/terminal-text.ts";
import type { Mount } from "./mount-plan.ts";

export interface ProtectedPaths {
  readonly mounts: readonly Mount[];
  /** Removes what bubblewrap created to mount on. What somebody wrote meanwhile stays. */
  removePlaceholders(): void;
}

/**
 * Mounts these paths read-only. A missing one in a writable directory is covered by an empty file or directory, because the
 * command could create it otherwise. bubblewrap creates the mount point outside, where it is visible until the command ends.
 */
export function protectPaths(paths: readonly string[], writable: readonly string[]): ProtectedPaths {
  const existing = paths.filter((path) => isProtectable(path, writable));
  const missing = paths.filter((path) => !existing.includes(path) && writable.some((each) => covers(each, path)));
  return {
    mounts: [
      ...existing.map((path): Mount => ({ kind: "read", path, isOptional: true })),
      ...missing.map((path): Mount =>
        isFile(path) ? { kind: "read", path: "/dev/null", at: path } : { kind: "void", path },
      ),
    ],
    removePlaceholders: () => {
      for (const path of missing) removeIfEmpty(path);
    },
  };
}

/** False if it does not exist. A command could replace a link, because the mount covers what it leads to. */
function isProtectable(path: string, writable: readonly string[]): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isSymbolicLink() !== true || !writable.some((each) => covers(each, path))) return found !== undefined;
  throw new UserError(
    "forbidden",
    `${terminalLine(path, 300)} is a link, so it cannot be kept read-only.`,
    "Replace the link by what it leads to, or do not make the directory around it writable.",
  );
}

function isFile(path: string): boolean {
  return extname(path) !== "";
}

function removeIfEmpty(path: string): void {
  try {
    if (!isFile(path)) rmdirSync(path);
    else if (lstatSync(path).size === 0) unlinkSync(path);
  } catch {
    // It is gone already, or somebody put something into it.
  }
}
