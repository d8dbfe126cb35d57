import { basename, dirname, isAbsolute, join } from "node:path";
import { covers } from "../../../policy/access/path-rules.ts";
import { companionsOf } from "../bubblewrap/companions.ts";
import { followLinks } from "./follow-links.ts";
import { listDirectory } from "./list-directory.ts";
import { readInterpreter } from "./read-interpreter.ts";
import { runtimeOf } from "./runtime-of.ts";
import { followShim } from "../bubblewrap/shims.ts";
import { isProgram, whyClosed, whyNoProgram } from "./is-program.ts";

/** What must be seen so that the programs run. Inside and outside paths are the same, and read-only. */
export interface FoundPrograms {
  /** For each name that was found, the path it is called by. */
  readonly programs: readonly FoundProgram[];
  /** Parents first; nothing that another one of them holds. */
  readonly mounts: readonly ProgramMount[];
  /** Where those stand that are called by name, in the order of PATH: the PATH inside. */
  readonly binDirs: readonly string[];
  readonly missing: readonly MissingProgram[];
}

export interface FoundProgram {
  readonly name: string;
  readonly path: string;
}

export type ProgramMount =
  | { readonly kind: "read"; readonly path: string }
  | { readonly kind: "link"; readonly path: string; readonly target: string };

export interface MissingProgram {
  readonly name: string;
  /** The end of a sentence about it: `is not on this machine's PATH`. */
  readonly why: string;
}

const known = new Map<string, FoundPrograms>();

/** Programs by name or absolute path; words after the first are rules for agents (`sbt compile`), not for the wall. */
export function findPrograms(names: readonly string[], path: string): FoundPrograms {
  const key = JSON.stringify([names, path]);
  const found = known.get(key) ?? search(names, path);
  known.set(key, found);
  return found;
}

/** The mounts that are still needed where everything at and below these paths is there already. */
export function outsideOf(mounts: readonly ProgramMount[], there: readonly string[]): readonly ProgramMount[] {
  return mounts.filter((mount) => !there.some((each) => covers(each, mount.path)));
}

/** What one search has come by. */
interface Finds {
  readonly dirs: readonly string[];
  readonly mounts: Map<string, ProgramMount>;
  readonly binDirs: Set<string>;
  readonly added: Set<string>;
}

function search(names: readonly string[], path: string): FoundPrograms {
  const dirs = [...new Set(path.split(":").filter((dir) => isAbsolute(dir)))];
  const finds: Finds = { dirs, mounts: new Map(), binDirs: new Set(), added: new Set() };
  const programs: FoundProgram[] = [];
  const missing: MissingProgram[] = [];
  const asked = [...new Set(names.map(programOf).filter((name) => name !== ""))];
  for (const name of asked) {
    const found = addNamed(finds, name);
    if ("why" in found) missing.push({ name, why: found.why });
    else programs.push({ name, path: found.path });
  }
  // What these call in turn helps where it is there, and nobody has asked for it where it is not.
  for (const name of asked.flatMap((each) => companionsOf(basename(each)))) addNamed(finds, name);
  return {
    programs,
    mounts: outermost([...finds.mounts.values()]),
    binDirs: dirs.filter((dir) => finds.binDirs.has(dir)),
    missing,
  };
}

/** `sbt compile` is sbt; but a path may have a space in it. */
function programOf(command: string): string {
  return isAbsolute(command) && isProgram(command) ? command : (command.trim().split(/\s+/)[0] ?? "");
}

type Added = { readonly path: string } | { readonly why: string };

function addNamed(finds: Finds, name: string): Added {
  if (isAbsolute(name)) {
    return isProgram(name) ? addProgram(finds, name) : { why: whyNoProgram(name) ?? "is not there as a program" };
  }
  if (name.includes("/")) return { why: "is neither a name nor an absolute path" };
  let why = "is not on this machine's PATH";
  for (const dir of finds.dirs) {
    const path = join(dir, name);
    if (!namesIn(dir).has(name)) continue;
    const added = isProgram(path) ? addProgram(finds, path) : { why: whyNoProgram(path) ?? why };
    if ("path" in added) {
      finds.binDirs.add(dir);
      return added;
    }
    why = added.why;
  }
  return { why };
}

const listed = new Map<string, ReadonlySet<string>>();

/** One look at a directory is far quicker than one for each of many names. */
function namesIn(dir: string): ReadonlySet<string> {
  const names = listed.get(dir) ?? new Set(listDirectory(dir));
  listed.set(dir, names);
  return names;
}

/** All or nothing: a program whose interpreter is missing leaves no mounts behind that nobody needs. */
function addProgram(finds: Finds, path: string): Added {
  if (finds.added.has(path)) return { path };
  const attempt: Finds = { ...finds, mounts: new Map(), binDirs: new Set(), added: new Set([...finds.added, path]) };
  const why = addParts(attempt, path);
  if (why !== null) return { why };
  for (const [at, mount] of attempt.mounts) finds.mounts.set(at, mount);
  for (const dir of attempt.binDirs) finds.binDirs.add(dir);
  for (const each of attempt.added) finds.added.add(each);
  return { path };
}

function addParts(finds: Finds, path: string): string | null {
  const { real } = followLinks(path);
  const shim = followShim(path, real);
  if (shim !== null) return "why" in shim ? shim.why : addShim(finds, path, shim.target);
  const closed = whyClosed(real);
  if (closed !== null) return closed;
  const interpreter = readInterpreter(real);
  for (const part of [path, ...runtimeOf(real, interpreter !== null)]) addMount(finds, part);
  for (const needed of interpreter ?? []) {
    const added = addNamed(finds, needed);
    if ("why" in added) return `needs ${needed}, which ${added.why}`;
  }
  return null;
}

/** The stand-in asks its manager, which is not there: so its name leads straight to the program. */
function addShim(finds: Finds, path: string, target: string): string | null {
  const added = addProgram(finds, target);
  if ("why" in added) return added.why;
  const folder = addLinks(finds, dirname(path));
  const at = join(folder, basename(path));
  finds.mounts.set(at, { kind: "link", path: at, target });
  return null;
}

function addMount(finds: Finds, path: string): void {
  const real = addLinks(finds, path);
  finds.mounts.set(real, { kind: "read", path: real });
}

function addLinks(finds: Finds, path: string): string {
  const { links, real } = followLinks(path);
  for (const [link, target] of links) finds.mounts.set(link, { kind: "link", path: link, target });
  return real;
}

function outermost(mounts: readonly ProgramMount[]): readonly ProgramMount[] {
  const sorted = mounts.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const kept: ProgramMount[] = [];
  for (const mount of sorted) {
    const isHeld = kept.some((each) => each.kind === "read" && covers(each.path, mount.path));
    if (!isHeld) kept.push(mount);
  }
  return kept;
}
