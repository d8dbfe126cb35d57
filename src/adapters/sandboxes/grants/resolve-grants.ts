import { lstatSync, realpathSync, type Stats } from "node:fs";
import { isAbsolute } from "node:path";
import { UserError } from "../../../core/text/errors.ts";
import { covers, refusePath, type Right } from "../../../policy/access/path-rules.ts";
import { terminalLine } from "../../../core/text/terminal-text.ts";
import type { SandboxPolicy } from "../../../ports/sandbox.ts";
import { knownHomes } from "./known-homes.ts";
import { refuseClosed, refuseContents } from "./refuse-contents.ts";
import { withReal } from "../with-real.ts";

/** Where the asked paths really lead; parents first, and none that another one grants already. */
export interface ResolvedGrants {
  readonly write: readonly string[];
  readonly read: readonly string[];
}

const MOST_PATHS = 1_000;

/**
 * Resolves what people's files and plans ask for, and refuses it as a whole when one path is not for a run.
 *
 * The wall gets the resolved path, so a link cannot promise one place and lead to another. Between this look and the
 * mount somebody outside may still put a link where a directory was: a person, or another run that may write the parent.
 * No run can do it for itself, since it does not run yet. What is mounted below a granted directory, and files with a
 * second name (hard links), are as open as the directory.
 *
 * `asOther`: whether the command runs as a user who owns nothing of what is asked for.
 */
export function resolveGrants(
  policy: Pick<SandboxPolicy, "write" | "read" | "forbidden">,
  asOther = process.platform === "linux" && process.getuid?.() === 0,
): ResolvedGrants {
  const count = policy.write.length + policy.read.length;
  if (count > MOST_PATHS) {
    throw new UserError(
      "forbidden",
      `The sandbox is asked for ${count} paths; at most ${MOST_PATHS} are possible.`,
      "Name the folders that hold them instead.",
    );
  }
  const limits = { forbidden: withReal(policy.forbidden), homes: knownHomes() };
  const refusals: string[] = [];
  const resolveAll = (paths: readonly string[], right: Right): readonly string[] =>
    paths.flatMap((asked) => {
      const found = resolvePath(asked);
      const why =
        found.why ??
        refusePath(found.real, { ...limits, right }) ??
        refuseContents(found.real, right) ??
        (asOther ? refuseClosed(found.real, right) : null);
      if (why === null) return [found.real];
      refusals.push(describe(asked, found.real, right, why));
      return [];
    });
  const write = resolveAll(policy.write, "write");
  const read = resolveAll(policy.read, "read");
  if (refusals.length > 0) throw refusal(refusals);
  const granted = outermost(write);
  return { write: granted, read: outermost(read).filter((path) => !granted.some((each) => covers(each, path))) };
}

interface Resolved {
  readonly real: string;
  readonly why: string | null;
}

function resolvePath(asked: string): Resolved {
  const refuse = (why: string): Resolved => ({ real: asked, why });
  if (!isAbsolute(asked)) return refuse("is not an absolute path");
  if (asked.includes("\0")) return refuse("has a NUL character in it");
  if (asked.split("/").includes("..")) return refuse("has `..` in it: write the path it leads to");
  try {
    const real = realpathSync.native(asked);
    return { real, why: refuseKind(lstatSync(real)) };
  } catch (error) {
    return refuse(explain(error));
  }
}

/** A socket or a device is a door to a program outside, whoever may open it. */
function refuseKind(found: Stats): string | null {
  if (found.isDirectory() || found.isFile()) return null;
  const kind = found.isSocket() ? "socket" : found.isFIFO() ? "named pipe" : "device";
  return `is a ${kind}; only files and directories can be had`;
}

const EXPLAINED: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  ELOOP: "is a link that leads back to itself",
  ENOTDIR: "does not exist: a part of it is a file, not a directory",
  EACCES: "cannot be looked up: Nightshift may not enter a directory on the way",
  ENAMETOOLONG: "is too long for a path",
};

function explain(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
  return EXPLAINED[code] ?? `cannot be looked up (${code})`;
}

function outermost(paths: readonly string[]): readonly string[] {
  const kept: string[] = [];
  // Parents sort before what they hold, so a look back is enough.
  for (const path of [...new Set(paths)].toSorted()) {
    if (!kept.some((each) => covers(each, path))) kept.push(path);
  }
  return kept;
}

function describe(asked: string, real: string, right: Right, why: string): string {
  const shown = terminalLine(asked, 300);
  return real === asked
    ? `${shown} (to ${right}) ${why}`
    : `${shown} (to ${right}) leads to ${terminalLine(real, 300)}, which ${why}`;
}

function refusal(refusals: readonly string[]): UserError {
  const what =
    refusals.length === 1
      ? `The sandbox cannot be given this path: ${refusals[0]}.`
      : `The sandbox cannot be given these paths:\n${refusals.map((each) => `- ${each}`).join("\n")}`;
  return new UserError(
    "forbidden",
    what,
    "Allowed are existing files and folders, such as those of caches and data: not a home directory as a whole, not the system's places, not where secrets or Nightshift's data are, and to write no git checkout. Change `sandbox.read` and `sandbox.write` in nightshift.yaml or config.yaml, or the directories of the plan.",
  );
}
