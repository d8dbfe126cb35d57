import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, lstatSync, readFileSync } from "node:fs";
import { UserError } from "../../core/text/errors.ts";

/** The user that a command runs as. Null means the user who started Nightshift, in a user namespace. */
export interface Identity {
  readonly uid: number;
}

/** Outside the ranges that systems and containers assign. */
const FIRST_UID = 700_000_000;
const UID_COUNT = 100_000_000;
/** For a root that has only a few user ids, as in a container. */
const FIRST_SMALL_UID = 20_000;
const SMALL_UID_COUNT = 40_000;

/**
 * Commands started by root never run as root, because bubblewrap leaves parts of /proc/sys writable for a real root. Each run
 * has its own user, so that the kernel counts its processes separately.
 */
export function chooseIdentity(run: string, uid = process.getuid?.()): Identity | null {
  if (uid !== 0) return null;
  const number = createHash("sha256").update(run).digest().readUInt32LE(0);
  return hasUser(FIRST_UID + UID_COUNT)
    ? { uid: FIRST_UID + (number % UID_COUNT) }
    : { uid: FIRST_SMALL_UID + (number % SMALL_UID_COUNT) };
}

function hasUser(uid: number): boolean {
  const ranges = readFileSync("/proc/self/uid_map", "utf8")
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  return ranges.some(([first = 0, , length = 0]) => uid >= first && uid < first + length);
}

/** Fixed paths: root does not search PATH. */
const CHOWNS = ["/usr/bin/chown", "/bin/chown"];

/**
 * Makes the run's user the owner of what the engine created for the run. Does nothing if that is already done.
 *
 * Uses chown(1), which handles names that are not text and directories deeper than the path limit, works with descriptors
 * and follows no links. A hard link would change the owner of a file elsewhere, but none can exist: the engine creates each
 * file itself, and inside the sandbox each writable directory is a separate mount, between which the kernel refuses links.
 */
export function chownToRunUser(paths: readonly string[], { uid }: Identity): void {
  const others = paths.filter((path) => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    // chown changes a directory after its contents, so a directory with the right owner is complete.
    return found !== undefined && found.uid !== uid;
  });
  if (others.length === 0) return;
  const chown = CHOWNS.find((path) => existsSync(path));
  if (chown === undefined) {
    throw new UserError("unavailable", `Neither ${CHOWNS.join(" nor ")} exists.`, "Install coreutils.");
  }
  const { status, stderr, error } = spawnSync(chown, ["-hRP", `${uid}:${uid}`, "--", ...others], {
    env: { LC_ALL: "C" },
    stdio: ["ignore", "ignore", "pipe"],
    encoding: "utf8",
    maxBuffer: 16 * 1024 * 1024,
  });
  if (error) throw error;
  const problems = stderr.split("\n").filter((line) => line !== "" && !line.endsWith(": No such file or directory"));
  // Files that were removed meanwhile do not matter.
  if (status !== 0 && (status !== 1 || problems.length > 0)) {
    throw new Error(`cannot change the owner of a directory to the run's user: ${problems[0] ?? `exit ${status}`}`);
  }
}
