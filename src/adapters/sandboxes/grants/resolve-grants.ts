import { lstatSync, realpathSync, type Stats } from "node:fs";
import { isAbsolute } from "node:path";
import { UserError } from "../../../core/text/errors.ts";
import { covers, refusePath, type Right } from "../../../policy/access/path-rules.ts";
import { terminalLine } from "../../../core/text/terminal-text.ts";
import type { SandboxPolicy } from "../../../ports/sandbox.ts";
import { knownHomes, withReal } from "./known-homes.ts";
import { refuseClosed, refuseContents, refuseUnwritable } from "./refuse-contents.ts";

/** The resolved paths. Parents first, without paths inside another one. */
export interface ResolvedGrants {
  readonly write: readonly string[];
  readonly read: readonly string[];
}

const MAX_PATHS = 1_000;

type GrantRequest = Pick<SandboxPolicy, "write" | "read" | "forbidden"> &
  Partial<Pick<SandboxPolicy, "cwd" | "inPlace">>;

/**
 * Resolves the paths requested by configuration files and plans, and rejects the request if one path is forbidden.
 *
 * The sandbox gets the resolved path, so a link cannot name one place and lead to another. Between this check and the mount,
 * a directory could still be replaced by a link, but only by a person or by another run with write access to the parent:
 * this run has not started yet. Hard links in a granted directory are accessible, too; mounts below it only if it is writable.
 *
 * `asOther`: the command runs as a user who does not own the requested paths.
 */
export function resolveGrants(policy: GrantRequest, asOther = runsAsOther()): ResolvedGrants {
  const count = policy.write.length + policy.read.length;
  if (count > MAX_PATHS) {
    throw new UserError(
      "forbidden",
      `The sandbox got ${count} paths. At most ${MAX_PATHS} are possible.`,
      "List the folders that contain them instead.",
    );
  }
  const { granted, refusals } = resolveEach(policy, asOther);
  if (refusals.length > 0) throw refusal(refusals);
  const write = outermost(granted.write);
  return {
    write,
    read: outermost(granted.read).filter((path) => !write.some((each) => covers(each, path))),
  };
}

/** Why a run may not use these paths, a sentence each. */
export function refuseGrants(request: GrantRequest): readonly string[] {
  return resolveEach(request, runsAsOther()).refusals.map((each) => `${each}.`);
}

/** Commands started by root run as another user. */
function runsAsOther(): boolean {
  return process.platform === "linux" && process.getuid?.() === 0;
}

function resolveEach(
  policy: GrantRequest,
  asOther: boolean,
): { readonly granted: ResolvedGrants; readonly refusals: readonly string[] } {
  const limits = { forbidden: withReal(policy.forbidden), homes: knownHomes() };
  const refusals: string[] = [];
  const checkout = policy.inPlace === true ? (policy.cwd ?? null) : null;
  const resolveAll = (paths: readonly string[], right: Right): readonly string[] =>
    paths.flatMap((requested) => {
      const found = resolvePath(requested);
      const why =
        found.why ??
        refusePath(found.real, { ...limits, right }) ??
        refuseContents(found.real, right, checkout) ??
        refuseUnwritable(found.real, right) ??
        (asOther ? refuseClosed(found.real, right) : null);
      if (why === null) return [found.real];
      refusals.push(describe(requested, found.real, right, why));
      return [];
    });
  return { granted: { write: resolveAll(policy.write, "write"), read: resolveAll(policy.read, "read") }, refusals };
}

interface Resolved {
  readonly real: string;
  readonly why: string | null;
}

function resolvePath(requested: string): Resolved {
  const refuse = (why: string): Resolved => ({ real: requested, why });
  if (!isAbsolute(requested)) return refuse("is not an absolute path");
  if (requested.includes("\0")) return refuse("contains a NUL character");
  if (requested.split("/").includes("..")) return refuse("contains `..`: use the resolved path");
  try {
    const real = realpathSync.native(requested);
    return { real, why: refuseKind(lstatSync(real)) };
  } catch (error) {
    return refuse(explain(error));
  }
}

/** A socket or a device gives access to a program or hardware outside. */
function refuseKind(found: Stats): string | null {
  if (found.isDirectory() || found.isFile()) return null;
  const kind = found.isSocket() ? "socket" : found.isFIFO() ? "named pipe" : "device";
  return `is a ${kind}; only files and directories are allowed`;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  ELOOP: "is a link that leads to itself",
  ENOTDIR: "does not exist: a part of it is a file, not a directory",
  EACCES: "cannot be resolved: Nightshift may not enter a parent directory",
  ENAMETOOLONG: "is too long",
};

function explain(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
  return REASONS[code] ?? `cannot be resolved (${code})`;
}

function outermost(paths: readonly string[]): readonly string[] {
  const kept: string[] = [];
  // Parents sort before their children, so comparing with the previous one is enough.
  for (const path of [...new Set(paths)].toSorted()) {
    if (!kept.some((each) => covers(each, path))) kept.push(path);
  }
  return kept;
}

function describe(requested: string, real: string, right: Right, why: string): string {
  const shown = terminalLine(requested, 300);
  return real === requested
    ? `${shown} (to ${right}) ${why}`
    : `${shown} (to ${right}) leads to ${terminalLine(real, 300)}, which ${why}`;
}

function refusal(refusals: readonly string[]): UserError {
  const what =
    refusals.length === 1
      ? `The sandbox may not use this path: ${refusals[0]}.`
      : `The sandbox may not use these paths:\n${refusals.map((each) => `- ${each}`).join("\n")}`;
  return new UserError(
    "forbidden",
    what,
    "Existing files and folders such as caches and data are allowed. Not allowed are a whole home directory, system directories, places with secrets or Nightshift's data, and, for writing, git checkouts. Change `sandbox.read` and `sandbox.write` in nightshift.yaml or config.yaml, or the directories of the plan.",
  );
}
