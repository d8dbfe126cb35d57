import { execFile } from "node:child_process";
import { join } from "node:path";
import { UserError } from "../../../core/text/errors.ts";
import { isProgram } from "../grants/is-program.ts";
import { diagnose, missingToolError, MIN_BUBBLEWRAP_VERSION, outdatedBubblewrapError } from "../self-test/diagnose.ts";

export interface Bubblewrap {
  readonly path: string;
  readonly version: string;
}

const TIMEOUT_MS = 10_000;
/** PATH is not searched: the program that confines all others must be the system's own. */
const FOLDERS = ["/usr/bin", "/usr/local/bin", "/bin"];

/** Throws a UserError of kind "unavailable" that says how to install it. */
export async function findBubblewrap(folders: readonly string[] = FOLDERS): Promise<Bubblewrap> {
  const path = folders.map((folder) => join(folder, "bwrap")).find(isProgram);
  if (path === undefined) throw missingToolError("bwrap");
  return requireNewEnough(path);
}

async function requireNewEnough(path: string): Promise<Bubblewrap> {
  const { stdout, stderr, failed } = await readVersion(path);
  const version = /^bubblewrap (\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  if (version === undefined || failed) {
    const { message, hint } = diagnose(stderr === "" ? `${path} --version printed no version` : stderr);
    throw new UserError("unavailable", message, hint);
  }
  if (isOlder(version, MIN_BUBBLEWRAP_VERSION)) throw outdatedBubblewrapError(path, version);
  return { path, version };
}

function readVersion(path: string): Promise<{ stdout: string; stderr: string; failed: boolean }> {
  return new Promise((done) => {
    execFile(path, ["--version"], { env: { LC_ALL: "C" }, timeout: TIMEOUT_MS }, (error, stdout, stderr) =>
      done({ stdout, stderr, failed: error !== null }),
    );
  });
}

function isOlder(version: string, needed: string): boolean {
  return version.localeCompare(needed, "en", { numeric: true }) < 0;
}
