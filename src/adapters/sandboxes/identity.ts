import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, lstatSync, readFileSync } from "node:fs";
import { UserError } from "../../core/text/errors.ts";

/** Who a command is inside; null: the person who started Nightshift, in a user namespace of the sandbox's own. */
export interface Identity {
  readonly uid: number;
}

/** Far from every user that a system gives out, and from the ranges that containers use. */
const FIRST = 700_000_000;
const MANY = 100_000_000;
/** For a root that is itself confined to few users, as in a container. */
const FIRST_OF_FEW = 20_000;
const FEW = 40_000;

/**
 * What root starts never runs as root: bubblewrap leaves parts of /proc/sys writable to a real root, which is the machine.
 * Each run has a user of its own, so that the kernel counts its processes apart from all others.
 */
export function chooseIdentity(run: string, uid = process.getuid?.()): Identity | null {
  if (uid !== 0) return null;
  const number = createHash("sha256").update(run).digest().readUInt32LE(0);
  return hasUser(FIRST + MANY) ? { uid: FIRST + (number % MANY) } : { uid: FIRST_OF_FEW + (number % FEW) };
}

function hasUser(uid: number): boolean {
  const ranges = readFileSync("/proc/self/uid_map", "utf8")
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  return ranges.some(([first = 0, , length = 0]) => uid >= first && uid < first + length);
}

/** Where coreutils stand; a PATH is not asked by root. */
const CHOWNS = ["/usr/bin/chown", "/bin/chown"];

/**
 * Hands over what the engine made for the run. Does nothing where it was done before.
 *
 * By chown(1), which copes with names that are no text and with trees deeper than any path may be long; it goes by
 * descriptors and follows no link. A file that has a second name elsewhere would change hands there as well, but nobody
 * can have made one: the engine writes and copies each file anew, and inside the sandbox every writable directory is a
 * mount of its own, out of and into which the kernel links nothing.
 */
export function handOver(paths: readonly string[], { uid }: Identity): void {
  const others = paths.filter((path) => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    // chown hands a directory over after what is in it: one that has its user has everything below it too.
    return found !== undefined && found.uid !== uid;
  });
  if (others.length === 0) return;
  const chown = CHOWNS.find((path) => existsSync(path));
  if (chown === undefined) {
    throw new UserError("unavailable", `There is no ${CHOWNS.join(" and no ")}.`, "Install coreutils.");
  }
  const { status, stderr, error } = spawnSync(chown, ["-hRP", `${uid}:${uid}`, "--", ...others], {
    env: { LC_ALL: "C" },
    stdio: ["ignore", "ignore", "pipe"],
    encoding: "utf8",
    maxBuffer: 16 * 1024 * 1024,
  });
  if (error) throw error;
  const problems = stderr.split("\n").filter((line) => line !== "" && !line.endsWith(": No such file or directory"));
  // What is gone meanwhile belongs to nobody.
  if (status !== 0 && (status !== 1 || problems.length > 0)) {
    throw new Error(`a directory could not be handed over to the run's own user: ${problems[0] ?? `exit ${status}`}`);
  }
}
