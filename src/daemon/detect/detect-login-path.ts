import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { realpathSync } from "node:fs";
import { userInfo } from "node:os";
import { delimiter, isAbsolute } from "node:path";
import { listFolders } from "../../config/files/recorded-path.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface LoginPath {
  /** Null if the user's shell is unknown. */
  readonly shell: string | null;
  readonly path: string | null;
  /** Why there is no path. */
  readonly problem: string | null;
}

const DEFAULT_TIMEOUT_MS = 5_000;
const MAX_OUTPUT_LENGTH = 1_000_000;
/** The PATH at the start of a login; the user's startup files add to it. */
const MINIMAL_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";
/** PATH is missing on purpose: this terminal or a tool may have added folders that a login does not have. */
const PASSED_VARIABLES = [
  "USER",
  "LOGNAME",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "TMPDIR",
  "ZDOTDIR",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "XDG_CACHE_HOME",
  "XDG_STATE_HOME",
  "XDG_RUNTIME_DIR",
];

/** Reads the PATH of the user's login shell. The shell runs the user's startup files, so there is a timeout. */
export async function readLoginPath(env: Environment, timeoutMs: number = DEFAULT_TIMEOUT_MS): Promise<LoginPath> {
  const user = currentUser();
  const shell = [env["SHELL"], user?.shell].find((each) => typeof each === "string" && isAbsolute(each)) ?? null;
  if (shell === null)
    return { shell, path: null, problem: "the user's shell is unknown: neither SHELL nor the system defines it" };
  const mark = randomBytes(12).toString("hex");
  const own = Object.fromEntries(
    PASSED_VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
  // Detached, because an interactive shell would take over the user's terminal.
  const child = spawn(shell, ["-lic", `printf '\\n%s\\n' "${mark}<$PATH>${mark}"`], {
    env: { ...own, HOME: env["HOME"] ?? user?.homedir, SHELL: shell, TERM: "dumb", PATH: MINIMAL_PATH },
    cwd: "/",
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const output = await readMarkedLine(child, new RegExp(`^${mark}<(.*)>${mark}$`, "m"), timeoutMs);
  if (output.problem !== null) return { shell, path: null, problem: `${shell} ${output.problem}` };
  const path = listFolders(output.text).map(resolveTemporaryFolder).join(delimiter);
  return path === ""
    ? { shell, path: null, problem: `${shell} printed a PATH without any absolute folder` }
    : { shell, path, problem: null };
}

/** Null for a user ID that the system does not know, as in some containers. */
function currentUser(): { readonly shell: string | null; readonly homedir: string } | null {
  try {
    return userInfo();
  } catch {
    return null;
  }
}

type ShellOutput = { readonly text: string; readonly problem: null } | { readonly problem: string };

/** Waits only for the marked line, because startup files can print anything. */
async function readMarkedLine(child: ChildProcess, line: RegExp, timeoutMs: number): Promise<ShellOutput> {
  const result = Promise.withResolvers<ShellOutput>();
  let output = "";
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    output += chunk;
    const text = line.exec(output)?.[1];
    if (text !== undefined) result.resolve({ text, problem: null });
    else if (output.length > MAX_OUTPUT_LENGTH) result.resolve({ problem: "prints too much output when it starts" });
  });
  child.once("error", (error) => result.resolve({ problem: `cannot be started (${error.message})` }));
  child.once("close", (code, signal) =>
    result.resolve({ problem: `exited with ${signal ?? code} without printing its PATH` }),
  );
  const timer = setTimeout(
    () => result.resolve({ problem: `did not print its PATH within ${timeoutMs / 1000} s` }),
    timeoutMs,
  );
  try {
    return await result.promise;
  } finally {
    clearTimeout(timer);
    killProcessGroup(child);
  }
}

function killProcessGroup(child: ChildProcess): void {
  child.stdout?.destroy();
  child.unref();
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // The group has already exited.
  }
}

/** Some version managers link to a temporary folder for each shell. Returns its target, which stays. */
function resolveTemporaryFolder(folder: string): string {
  if (!/^\/(private\/)?(tmp|run|var\/run|var\/folders)\/|\/fnm_multishells\//.test(folder)) return folder;
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
