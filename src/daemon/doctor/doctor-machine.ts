import { execFile } from "node:child_process";
import { stat, statfs } from "node:fs/promises";
import { delimiter, isAbsolute } from "node:path";
import { machineTimeZone } from "../../config/files/user-config.ts";
import { fine, type Finding } from "./doctor-finding.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const NEEDED_NODE = 24;
const NEEDED_GIT = [2, 38] as const;
/** Below this the daemon starts no run. */
const NO_SPACE_BYTES = 200_000_000;
const LITTLE_SPACE_BYTES = 2_000_000_000;

export function checkNode(version: string = process.versions.node): Finding {
  if (Number(version.split(".")[0]) >= NEEDED_NODE) return fine("node", version);
  return {
    name: "node",
    ok: "no",
    detail: `${version}; needed is ${NEEDED_NODE} or newer`,
    fix: "install a newer Node from https://nodejs.org",
  };
}

export async function checkGit(env: Environment): Promise<Finding> {
  const said = await new Promise<string | null>((done) => {
    execFile("git", ["--version"], { env: { PATH: env["PATH"], LC_ALL: "C" }, timeout: 10_000 }, (error, stdout) =>
      done(error === null ? stdout.trim() : null),
    );
  });
  if (said === null) return { name: "git", ok: "no", detail: "cannot be started", fix: "install git 2.38 or newer" };
  const [, major, minor] = /(\d+)\.(\d+)/.exec(said) ?? [];
  const isNew = Number(major) > NEEDED_GIT[0] || (Number(major) === NEEDED_GIT[0] && Number(minor) >= NEEDED_GIT[1]);
  return isNew
    ? fine("git", said.replace("git version ", ""))
    : { name: "git", ok: "no", detail: said, fix: "install git 2.38 or newer" };
}

/** Programs are looked up on PATH at night, so nobody else may be able to put one there. */
export async function checkPath(env: Environment): Promise<Finding> {
  const folders = (env["PATH"] ?? "").split(delimiter);
  const relative = folders.filter((folder) => !isAbsolute(folder));
  if (relative.length > 0)
    return {
      name: "PATH",
      ok: "warn",
      detail: `holds a relative folder (${JSON.stringify(relative[0])}): it finds other programs in each directory`,
      fix: "take it out of PATH in your shell's start file",
    };
  const open = (await Promise.all(folders.map(async (folder) => ((await isOpen(folder)) ? [folder] : [])))).flat();
  if (open.length > 0)
    return {
      name: "PATH",
      ok: "warn",
      detail: `everybody can write to ${open.join(", ")}`,
      fix: `chmod o-w ${open.join(" ")}`,
    };
  return fine("PATH", `${folders.length} folders`);
}

async function isOpen(folder: string): Promise<boolean> {
  try {
    return ((await stat(folder)).mode & 0o002) !== 0;
  } catch {
    return false;
  }
}

export async function checkHomeMode(home: string): Promise<Finding> {
  const mode = (await stat(home)).mode & 0o777;
  return (mode & 0o077) === 0
    ? fine("home", home)
    : {
        name: "home",
        ok: "no",
        detail: `${home} can be read by others (${mode.toString(8)})`,
        fix: `chmod 700 ${home}`,
      };
}

export async function checkDisk(home: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(home);
  const free = bavail * bsize;
  const detail = `${(free / 1e9).toFixed(1)} GB free in ${home}`;
  if (free >= LITTLE_SPACE_BYTES) return fine("disk", detail);
  return {
    name: "disk",
    ok: free < NO_SPACE_BYTES ? "no" : "warn",
    detail,
    fix: "free some space; nightshift delete <task> removes an ended task and its workspace",
  };
}

export function checkTimeZone(configured?: string): Finding {
  const machine = machineTimeZone();
  const zone = configured ?? machine;
  return fine("time zone", zone === machine ? zone : `${zone} (config.yaml); the machine's is ${machine}`);
}
