import { execFile } from "node:child_process";
import { access, constants, stat, statfs } from "node:fs/promises";
import { delimiter, isAbsolute } from "node:path";
import { explainFileError } from "../../core/text/explain-file-error.ts";
import { shellWord } from "../../core/change/related-command.ts";
import { machineTimeZone } from "../../config/files/user-config.ts";
import { DISK_FLOOR_BYTES } from "../wire/wire-sandbox.ts";
import { fine, type Finding } from "./doctor-finding.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const MIN_NODE = 24;
const MIN_GIT = [2, 38] as const;
const LOW_SPACE_BYTES = 2_000_000_000;

export function checkNode(version: string = process.versions.node): Finding {
  if (Number(version.split(".")[0]) >= MIN_NODE) return fine("node", version);
  return {
    name: "node",
    ok: "no",
    detail: `${version}; ${MIN_NODE} or newer is required`,
    fix: "install a newer Node from https://nodejs.org",
  };
}

export async function checkGit(env: Environment): Promise<Finding> {
  const output = await new Promise<string | null>((done) => {
    execFile("git", ["--version"], { env: { PATH: env["PATH"], LC_ALL: "C" }, timeout: 10_000 }, (error, stdout) =>
      done(error === null ? stdout.trim() : null),
    );
  });
  if (output === null) return { name: "git", ok: "no", detail: "cannot be started", fix: "install git 2.38 or newer" };
  const [, major, minor] = /(\d+)\.(\d+)/.exec(output) ?? [];
  const isSupported = Number(major) > MIN_GIT[0] || (Number(major) === MIN_GIT[0] && Number(minor) >= MIN_GIT[1]);
  return isSupported
    ? fine("git", output.replace("git version ", ""))
    : { name: "git", ok: "no", detail: output, fix: "install git 2.38 or newer" };
}

/** Runs look up programs on PATH, so other users must not be able to add programs there. */
export async function checkPath(env: Environment): Promise<Finding> {
  const folders = (env["PATH"] ?? "").split(delimiter);
  const relative = folders.filter((folder) => !isAbsolute(folder));
  if (relative.length > 0)
    return {
      name: "PATH",
      ok: "warn",
      detail: `contains a relative folder (${JSON.stringify(relative[0])}), which finds different programs in each directory`,
      fix: "remove it from PATH in your shell's startup file",
    };
  const writable = (
    await Promise.all(folders.map(async (folder) => ((await isWorldWritable(folder)) ? [folder] : [])))
  ).flat();
  if (writable.length > 0)
    return {
      name: "PATH",
      ok: "warn",
      detail: `all users can write to ${writable.join(", ")}`,
      fix: `chmod o-w ${writable.map(shellWord).join(" ")}`,
    };
  return fine("PATH", `${folders.length} folders`);
}

async function isWorldWritable(folder: string): Promise<boolean> {
  try {
    return ((await stat(folder)).mode & 0o002) !== 0;
  } catch {
    return false;
  }
}

type RequireWritable = (folder: string) => Promise<void>;

export async function checkHome(
  home: string,
  requireWritable: RequireWritable = (folder) => access(folder, constants.W_OK),
): Promise<Finding> {
  try {
    await requireWritable(home);
  } catch (error) {
    const { message, hint } = explainFileError(error) ?? { message: String(error), hint: null };
    return { name: "home", ok: "no", detail: message, fix: hint };
  }
  const mode = (await stat(home)).mode & 0o777;
  return (mode & 0o077) === 0
    ? fine("home", home)
    : {
        name: "home",
        ok: "no",
        detail: `other users can access ${home} (mode ${mode.toString(8)})`,
        fix: `chmod 700 ${shellWord(home)}`,
      };
}

export async function checkDisk(home: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(home);
  const free = bavail * bsize;
  const detail = `${(free / 1e9).toFixed(1)} GB free in ${home}`;
  if (free >= LOW_SPACE_BYTES) return fine("disk", detail);
  return {
    name: "disk",
    ok: free < DISK_FLOOR_BYTES ? "no" : "warn",
    detail,
    fix: "free some space; nightshift delete <task> removes a finished task and its workspace",
  };
}

export function checkTimeZone(configured?: string): Finding {
  const machine = machineTimeZone();
  const zone = configured ?? machine;
  return fine("time zone", zone === machine ? zone : `${zone} (config.yaml); the machine's is ${machine}`);
}
