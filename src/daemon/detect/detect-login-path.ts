import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { realpathSync } from "node:fs";
import { userInfo } from "node:os";
import { delimiter, isAbsolute } from "node:path";
import { listFolders } from "../../config/files/recorded-path.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface LoginPath {
  /** Null where nobody says which shell this user has. */
  readonly shell: string | null;
  readonly path: string | null;
  /** A sentence; null when there is a path. */
  readonly problem: string | null;
}

const PATIENCE_MS = 5_000;
const MOST_OUTPUT = 1_000_000;
/** What a login begins with; the person's own files add to it. */
const BARE_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";
/** Not PATH: what this terminal or a tool around it added is no part of what a login gives. */
const HANDED = [
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

/** The PATH that this person's login shell comes to. It runs their start files, so it is waited for only so long. */
export async function askLoginShell(env: Environment, timeoutMs: number = PATIENCE_MS): Promise<LoginPath> {
  const user = currentUser();
  const shell = [env["SHELL"], user?.shell].find((each) => typeof each === "string" && isAbsolute(each)) ?? null;
  if (shell === null) return { shell, path: null, problem: "neither SHELL nor the system names this user's shell" };
  const mark = randomBytes(12).toString("hex");
  const own = Object.fromEntries(HANDED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
  // A session of its own: an interactive shell would take the terminal from whoever reads this one.
  const child = spawn(shell, ["-lic", `printf '\\n%s\\n' "${mark}<$PATH>${mark}"`], {
    env: { ...own, HOME: env["HOME"] ?? user?.homedir, SHELL: shell, TERM: "dumb", PATH: BARE_PATH },
    cwd: "/",
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const said = await listen(child, new RegExp(`^${mark}<(.*)>${mark}$`, "m"), timeoutMs);
  if (said.problem !== null) return { shell, path: null, problem: `${shell} ${said.problem}` };
  const path = listFolders(said.text).map(lasting).join(delimiter);
  return path === ""
    ? { shell, path: null, problem: `${shell} says a PATH without any absolute folder` }
    : { shell, path, problem: null };
}

/** Null for a user whom the system does not know, as in some containers. */
function currentUser(): { readonly shell: string | null; readonly homedir: string } | null {
  try {
    return userInfo();
  } catch {
    return null;
  }
}

type Said = { readonly text: string; readonly problem: null } | { readonly problem: string };

/** Start files print what they like, so only the marked line counts; once it is there, nothing more is waited for. */
async function listen(child: ChildProcess, line: RegExp, timeoutMs: number): Promise<Said> {
  const heard = Promise.withResolvers<Said>();
  let output = "";
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    output += chunk;
    const text = line.exec(output)?.[1];
    if (text !== undefined) heard.resolve({ text, problem: null });
    else if (output.length > MOST_OUTPUT) heard.resolve({ problem: "prints without end when it starts" });
  });
  child.once("error", (error) => heard.resolve({ problem: `cannot be started (${error.message})` }));
  child.once("close", (code, signal) =>
    heard.resolve({ problem: `ended with ${signal ?? code} without saying its PATH` }),
  );
  const timer = setTimeout(
    () => heard.resolve({ problem: `did not say its PATH within ${timeoutMs / 1000} s` }),
    timeoutMs,
  );
  try {
    return await heard.promise;
  } finally {
    clearTimeout(timer);
    endGroup(child);
  }
}

function endGroup(child: ChildProcess): void {
  child.stdout?.destroy();
  child.unref();
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // All of it has ended by itself.
  }
}

/** Some version managers make a folder of links for each shell, in a place that is emptied: what it leads to stays. */
function lasting(folder: string): string {
  if (!/^\/(private\/)?(tmp|run|var\/run|var\/folders)\/|\/fnm_multishells\//.test(folder)) return folder;
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
