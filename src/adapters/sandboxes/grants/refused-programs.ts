import { createHash, randomUUID } from "node:crypto";
import { chmodSync, existsSync, linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, isAbsolute, join } from "node:path";
import { listDirectory } from "./list-directory.ts";

export interface RefusedParams {
  /** Where such directories are kept; made if need be. No command may write there. */
  readonly cacheDir: string;
  /** As the project lists them: `git`, `sbt compile`. */
  readonly allowed: readonly string[];
  /** The host's PATH. */
  readonly path: string;
}

const SCRIPT = ".refused";

/**
 * A directory for the very end of the PATH inside: each program that is on this machine and not in the list is there as a
 * sentence. It is made once for a list and a machine, under a name that says what is in it.
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
  if (!existsSync(dir)) make(dir, refused, script);
  return dir;
}

/** Filled under another name and put in place at once: whoever sees it sees all of it, also when two make it. */
function make(dir: string, names: readonly string[], script: string): void {
  const draft = `${dir}.${randomUUID()}`;
  mkdirSync(draft, { recursive: true });
  try {
    writeFileSync(join(draft, SCRIPT), script);
    // Second names of one file: links that say where it is take a second to make for all programs of a machine.
    for (const name of names) linkSync(join(draft, SCRIPT), join(draft, name));
    // Whoever runs inside is another user, whatever the mask here.
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

/** Nothing but what a shell has built in: there may be no other program to call. */
function refusalScript(allowed: readonly string[]): string {
  const may =
    allowed.length === 0 ? "There are no programs you may use." : `Programs you may use: ${allowed.join(", ")}.`;
  return `#!/bin/sh
printf 'nightshift: "%s" is not available here. %s If the task needs it, report needs_info and say why.\\n' "\${0##*/}" ${quote(may)} >&2
exit 127
`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
