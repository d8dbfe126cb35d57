import { existsSync, lstatSync, realpathSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Argv, Sandbox, SandboxPlace, SandboxPolicy } from "../../../ports/sandbox.ts";
import { programMounts } from "../bubblewrap/program-mounts.ts";
import { resolveGrants } from "../grants/resolve-grants.ts";
import { openDoors } from "./seatbelt-doors.ts";
import { seatbeltProfile } from "./seatbelt-profile.ts";

/** What holds on Linux and not here, for people to read before they rely on it. */
export const SEATBELT_WEAKER: readonly string[] = [
  "The macOS sandbox has not been run by the people who wrote it: its rules are tested as text only.",
  "sandbox-exec is deprecated by Apple. It still works, and nothing else of the system confines command-line programs.",
  "There is no process namespace: what a run leaves behind is found by looking for descendants, which a process can escape.",
  "The number of processes is not limited: macOS counts them per user, not per sandbox.",
  "Memory is watched once a second, not limited by the kernel.",
  "Temporary files are not limited by themselves; they count towards the run's disk limit.",
  "The network is this machine's: only the ports of the egress proxy and of the model gateway can be reached, and other programs of the same user could use them if they learned the token.",
  "Commands cannot open ports, not even on loopback: tests that start a server fail.",
  "The run has the user's own uid: what the profile does not name is guarded by nothing else.",
];

const SANDBOX_EXEC = "/usr/bin/sandbox-exec";
/** All arguments and the environment share a megabyte. */
const LONGEST_ARGUMENT = 128 * 1024;
/** POSIX counts the size of files in these. */
const BLOCK_BYTES = 512;

export const seatbelt: Sandbox = {
  name: "seatbelt",
  async open(asked, argv, place) {
    const policy = resolvePaths(asked);
    const programs = findAllowed(policy, argv, place);
    await mkdir(place.dir, { recursive: true, mode: 0o700 });
    const doors = await openDoors(policy, place.onDenied);
    const close = async (): Promise<void> => {
      await doors.close();
      await rm(place.dir, { recursive: true, force: true });
    };
    try {
      const facts = { withSystem: policy.commands === null, programs: programs.allowed, ports: doors.ports };
      const profile = seatbeltProfile(policy, facts);
      const option = await profileOption(profile, place.dir);
      const command = limited(policy, [SANDBOX_EXEC, ...option, "--", ...programs.argv]);
      const env = { ...doors.env, PATH: programs.path };
      return {
        // sandbox-exec becomes the command: it is no wall that would have to be spared.
        command: { argv: command, env, cwd: policy.cwd, inputs: [], statusPipes: 0, isWall: false },
        problem: (_, stderr) => explain(stderr),
        close,
      };
    } catch (error) {
      await close();
      throw error;
    }
  },
};

async function profileOption(profile: string, dir: string): Promise<readonly string[]> {
  if (Buffer.byteLength(profile) <= LONGEST_ARGUMENT) return ["-p", profile];
  const file = join(dir, "profile.sb");
  await writeFile(file, profile, { mode: 0o600 });
  return ["-f", file];
}

/** /bin/sh of macOS starts the shell that it stands for. */
const APPLE_SHELL = "/bin/bash";
/** What the git that Apple ships starts in its turn. */
const APPLE_GIT = [
  "/Library/Developer/CommandLineTools/usr/bin/git",
  "/Library/Developer/CommandLineTools/usr/libexec/git-core",
];

interface Programs {
  readonly allowed: readonly string[];
  readonly path: string;
  readonly argv: Argv;
}

/** As on Linux, but that nothing can be shown under another path than its own. */
function findAllowed(policy: SandboxPolicy, [name, ...rest]: Argv, place: SandboxPlace): Programs {
  const { mounts, path, program } = programMounts(policy, [name, ...rest], place);
  const moved = mounts.flatMap((mount) => ("at" in mount && mount.at !== undefined ? [[mount.at, mount.path]] : []));
  const apple = policy.commands?.some((each) => each.split(" ")[0] === "git") === true ? APPLE_GIT : [];
  return {
    allowed: [...mounts.map((mount) => mount.path), APPLE_SHELL, ...apple],
    path: path
      .split(":")
      .map((folder) => moved.find(([at]) => at === folder)?.[1] ?? folder)
      .join(":"),
    argv: [program, ...rest],
  };
}

/** Set from outside, so that a list of commands need not hold a shell. dash, since it takes no functions from the environment. */
function limited({ limits }: SandboxPolicy, argv: Argv): Argv {
  const blocks = Math.ceil(limits.fileBytes / BLOCK_BYTES);
  const cpuTime = limits.cpuSeconds === null ? "unlimited" : String(limits.cpuSeconds);
  const script = 'ulimit -c 0 && ulimit -f "$1" && ulimit -t "$2" && shift 2 && exec "$@"';
  return ["/bin/dash", "-c", script, "nightshift", String(blocks), cpuTime, ...argv];
}

/** Of sandbox-exec, or of the shell that sets the limits. */
function explain(stderr: string): string | null {
  const said = /^(?:sandbox-exec|nightshift: \d+): (.+)/.exec(stderr)?.[1];
  return said === undefined ? null : `The sandbox of macOS did not come up: ${said}`;
}

/** /tmp and /var are links on macOS, and rules hold for where files really are. */
function resolvePaths(policy: SandboxPolicy): SandboxPolicy {
  return {
    ...policy,
    ...resolveGrants(policy),
    cwd: realpathSync.native(policy.cwd),
    own: { write: resolveAll(policy.own.write), read: resolveAll(policy.own.read.filter((path) => existsSync(path))) },
    protect: policy.protect.filter((path) => lstatSync(path, { throwIfNoEntry: false })).flatMap(resolveProtected),
  };
}

function resolveAll(list: readonly string[]): string[] {
  return list.map((path) => realpathSync.native(path));
}

/** A link that is protected must neither be replaced nor written through. */
function resolveProtected(path: string): string[] {
  const itself = join(realpathSync.native(dirname(path)), basename(path));
  return existsSync(path) ? [itself, realpathSync.native(path)] : [itself];
}
