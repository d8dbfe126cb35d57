import { createHash, randomUUID } from "node:crypto";
import { chmodSync, existsSync, linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, isAbsolute, join } from "node:path";
import { shellWord } from "../../../core/change/related-command.ts";
import { listDirectory } from "./list-directory.ts";

export interface RefusedParams {
  /** Where such directories are stored. Created if missing. No command may write there. */
  readonly cacheDir: string;
  /** The project's list: `git`, `sbt compile`. */
  readonly allowed: readonly string[];
  /** The host's PATH. */
  readonly path: string;
}

const SCRIPT = ".refused";

/**
 * Returns a directory for the end of the PATH inside. It contains, for each program on this machine that is not allowed, a
 * script that prints an explanation. It is created once per list and machine, under a name derived from its contents.
 */
export function refusedProgramsDir({ cacheDir, allowed, path }: RefusedParams): string {
  const listed = [...new Set(allowed.map((command) => basename(command.trim().split(/\s+/)[0] ?? "")))].toSorted();
  const refused = programsOn(path).filter((name) => !listed.includes(name));
  const script = refusalScript(allowed);
  const hash = createHash("sha256")
    .update(JSON.stringify([script, refused]))
    .digest("hex")
    .slice(0, 24);
  const dir = join(cacheDir, hash);
  if (!existsSync(dir)) createScripts(dir, refused, script);
  return dir;
}

/** Created under a temporary name and renamed, so that it is always complete, even with concurrent creators. */
function createScripts(dir: string, names: readonly string[], script: string): void {
  const draft = `${dir}.${randomUUID()}`;
  mkdirSync(draft, { recursive: true });
  try {
    writeFileSync(join(draft, SCRIPT), script);
    // Hard links: creating symbolic links for all programs of a machine takes a second.
    for (const name of names) linkSync(join(draft, SCRIPT), join(draft, name));
    // Explicit, because of the umask: the user inside is a different one.
    chmodSync(join(draft, SCRIPT), 0o755);
    chmodSync(draft, 0o755);
    renameSync(draft, dir);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(dir)) throw error;
  }
}

function programsOn(path: string): readonly string[] {
  const dirs = [...new Set(path.split(":").filter((dir) => isAbsolute(dir)))];
  return [...new Set(dirs.flatMap(listDirectory))].filter((name) => /^[\w[][\w.+[-]*$/.test(name)).toSorted();
}

/** Uses only shell builtins, because no other program may be available. */
function refusalScript(allowed: readonly string[]): string {
  const allowedText = allowed.length === 0 ? "No programs are allowed." : `Allowed programs: ${allowed.join(", ")}.`;
  return `#!/bin/sh
printf 'nightshift: "%s" is not available here. %s If the task needs it, report needs_info with the reason.\\n' "\${0##*/}" ${shellWord(allowedText)} >&2
exit 127
`;
}
