import { basename, dirname, isAbsolute, join } from "node:path";
import { covers } from "../../../policy/access/path-rules.ts";
import { findCompanions } from "../bubblewrap/companions.ts";
import { followLinks } from "./follow-links.ts";
import { listDirectory } from "./list-directory.ts";
import { readInterpreter } from "./read-interpreter.ts";
import { findRuntime } from "./runtime-of.ts";
import { followShim } from "../bubblewrap/shims.ts";
import { isProgram, explainClosedProgram, explainNotExecutable } from "./is-program.ts";

/** The read-only mounts that the programs need. Paths inside and outside are the same. */
export interface FoundPrograms {
  /** The path of each program that was found. */
  readonly programs: readonly FoundProgram[];
  /** Parents first, without mounts that are inside another one. */
  readonly mounts: readonly ProgramMount[];
  /** Directories of the programs that are called by name, in the order of PATH. They become the PATH inside. */
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
  /** Completes a sentence about the program: `is not on this machine's PATH`. */
  readonly why: string;
}

const foundPrograms = new Map<string, FoundPrograms>();

/** Searches programs by name or absolute path. Further words are tool rules for agents (`sbt compile`) and are ignored here. */
export function findPrograms(names: readonly string[], path: string): FoundPrograms {
  const key = JSON.stringify([names, path]);
  const found = foundPrograms.get(key) ?? search(names, path);
  foundPrograms.set(key, found);
  return found;
}

/** Returns the mounts that are not already covered by these paths. */
export function excludeCovered(mounts: readonly ProgramMount[], paths: readonly string[]): readonly ProgramMount[] {
  return mounts.filter((mount) => !paths.some((each) => covers(each, mount.path)));
}

/** State of one search. */
interface Search {
  readonly dirs: readonly string[];
  readonly mounts: Map<string, ProgramMount>;
  readonly binDirs: Set<string>;
  readonly added: Set<string>;
}

function search(names: readonly string[], path: string): FoundPrograms {
  const dirs = [...new Set(path.split(":").filter((dir) => isAbsolute(dir)))];
  const state: Search = { dirs, mounts: new Map(), binDirs: new Set(), added: new Set() };
  const programs: FoundProgram[] = [];
  const missing: MissingProgram[] = [];
  const requested = [...new Set(names.map(programOf).filter((name) => name !== ""))];
  for (const name of requested) {
    const found = addByName(state, name);
    if ("why" in found) missing.push({ name, why: found.why });
    else programs.push({ name, path: found.path });
  }
  // Companion programs are optional: missing ones are not reported.
  for (const name of requested.flatMap((each) => findCompanions(basename(each)))) addByName(state, name);
  return {
    programs,
    mounts: outermost([...state.mounts.values()]),
    binDirs: dirs.filter((dir) => state.binDirs.has(dir)),
    missing,
  };
}

/** `sbt compile` means sbt, but a path may contain a space. */
function programOf(command: string): string {
  return isAbsolute(command) && isProgram(command) ? command : (command.trim().split(/\s+/)[0] ?? "");
}

type AddResult = { readonly path: string } | { readonly why: string };

function addByName(state: Search, name: string): AddResult {
  if (isAbsolute(name)) {
    return isProgram(name)
      ? addProgram(state, name)
      : { why: explainNotExecutable(name) ?? "does not exist as a program" };
  }
  if (name.includes("/")) return { why: "is neither a name nor an absolute path" };
  let why = "is not on this machine's PATH";
  for (const dir of state.dirs) {
    const path = join(dir, name);
    if (!listNames(dir).has(name)) continue;
    const added = isProgram(path) ? addProgram(state, path) : { why: explainNotExecutable(path) ?? why };
    if ("path" in added) {
      state.binDirs.add(dir);
      return added;
    }
    why = added.why;
  }
  return { why };
}

const listed = new Map<string, ReadonlySet<string>>();

/** Listing a directory once is much faster than checking many names in it. */
function listNames(dir: string): ReadonlySet<string> {
  const names = listed.get(dir) ?? new Set(listDirectory(dir));
  listed.set(dir, names);
  return names;
}

/** All or nothing: if the interpreter is missing, no mounts of the program are added. */
function addProgram(state: Search, path: string): AddResult {
  if (state.added.has(path)) return { path };
  const attempt: Search = { ...state, mounts: new Map(), binDirs: new Set(), added: new Set([...state.added, path]) };
  const why = addParts(attempt, path);
  if (why !== null) return { why };
  for (const [at, mount] of attempt.mounts) state.mounts.set(at, mount);
  for (const dir of attempt.binDirs) state.binDirs.add(dir);
  for (const each of attempt.added) state.added.add(each);
  return { path };
}

function addParts(state: Search, path: string): string | null {
  const { real } = followLinks(path);
  const shim = followShim(path, real);
  if (shim !== null) return "why" in shim ? shim.why : addShim(state, path, shim.target);
  const closed = explainClosedProgram(real);
  if (closed !== null) return closed;
  const interpreter = readInterpreter(real);
  for (const part of [path, ...findRuntime(real, interpreter !== null)]) addMount(state, part);
  for (const needed of interpreter ?? []) {
    const added = addByName(state, needed);
    if ("why" in added) return `needs ${needed}, which ${added.why}`;
  }
  return null;
}

/** The shim's version manager does not exist inside, so its name links directly to the program. */
function addShim(state: Search, path: string, target: string): string | null {
  const added = addProgram(state, target);
  if ("why" in added) return added.why;
  const folder = addLinks(state, dirname(path));
  const at = join(folder, basename(path));
  state.mounts.set(at, { kind: "link", path: at, target });
  return null;
}

function addMount(state: Search, path: string): void {
  const real = addLinks(state, path);
  state.mounts.set(real, { kind: "read", path: real });
}

function addLinks(state: Search, path: string): string {
  const { links, real } = followLinks(path);
  for (const [link, target] of links) state.mounts.set(link, { kind: "link", path: link, target });
  return real;
}

function outermost(mounts: readonly ProgramMount[]): readonly ProgramMount[] {
  const sorted = mounts.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const kept: ProgramMount[] = [];
  for (const mount of sorted) {
    const isCovered = kept.some((each) => each.kind === "read" && covers(each.path, mount.path));
    if (!isCovered) kept.push(mount);
  }
  return kept;
}
