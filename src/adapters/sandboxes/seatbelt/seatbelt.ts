import { existsSync, realpathSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Argv, Sandbox, SandboxContext, SandboxPolicy } from "../../../ports/sandbox.ts";
import { programMounts } from "../bubblewrap/program-mounts.ts";
import { resolveGrants } from "../grants/resolve-grants.ts";
import { openSeatbeltNetwork } from "./seatbelt-network.ts";
import { seatbeltProfile } from "./seatbelt-profile.ts";

/** Differences from the Linux sandbox that people should know before they rely on it. */
export const SEATBELT_LIMITATIONS: readonly string[] = [
  "The macOS sandbox was never run by its authors. Its rules are only tested as text.",
  "sandbox-exec is deprecated by Apple. It still works, and macOS has no other sandbox for command-line programs.",
  "There is no process namespace: left-over processes are found by searching for descendants, which a process can evade.",
  "The number of processes is not limited: macOS counts them per user, not per sandbox.",
  "Memory is checked once a second, not limited by the kernel.",
  "Temporary files have no separate limit; they count towards the run's disk limit.",
  "There is no network namespace: only the ports of the egress proxy and the model gateway can be reached, and other programs of the same user could use them if they knew the token.",
  "Commands cannot open ports, not even on loopback: tests that start a server fail.",
  "The run has the user's own uid, so only the profile protects the user's files.",
];

const SANDBOX_EXEC = "/usr/bin/sandbox-exec";
/** All arguments and the environment share one megabyte. */
const MAX_ARGUMENT_BYTES = 128 * 1024;
/** Unit of the file size limit in POSIX. */
const BLOCK_BYTES = 512;

export const seatbelt: Sandbox = {
  name: "seatbelt",
  async open(requestedPolicy, argv, context) {
    const policy = resolvePaths(requestedPolicy);
    const programs = findAllowedPrograms(policy, argv, context);
    await mkdir(context.dir, { recursive: true, mode: 0o700 });
    const network = await openSeatbeltNetwork(policy, context.onDenied);
    const close = async (): Promise<void> => {
      await network.close();
      await rm(context.dir, { recursive: true, force: true });
    };
    try {
      const facts = { withSystem: policy.commands === null, programs: programs.allowed, ports: network.ports };
      const profile = seatbeltProfile(policy, facts);
      const option = await profileOption(profile, context.dir);
      const command = withLimits(policy, [SANDBOX_EXEC, ...option, "--", ...programs.argv]);
      const env = { ...network.env, PATH: programs.path, SHELL: programs.shell };
      return {
        // sandbox-exec is replaced by the command, so the first process is not the sandbox.
        command: { argv: command, env, cwd: policy.cwd, inputs: [], statusPipes: 0, isIsolating: false },
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
  if (Buffer.byteLength(profile) <= MAX_ARGUMENT_BYTES) return ["-p", profile];
  const file = join(dir, "profile.sb");
  await writeFile(file, profile, { mode: 0o600 });
  return ["-f", file];
}

/** macOS's /bin/sh starts this shell. */
const APPLE_SHELL = "/bin/bash";
/** Programs that Apple's git starts. */
const APPLE_GIT = [
  "/Library/Developer/CommandLineTools/usr/bin/git",
  "/Library/Developer/CommandLineTools/usr/libexec/git-core",
];

interface Programs {
  readonly allowed: readonly string[];
  readonly path: string;
  readonly shell: string;
  readonly argv: Argv;
}

/** Like on Linux, except that files cannot appear under another path. */
function findAllowedPrograms(policy: SandboxPolicy, [name, ...rest]: Argv, context: SandboxContext): Programs {
  const { mounts, path, program, shell } = programMounts(policy, [name, ...rest], context);
  const relocated = mounts.flatMap((mount) =>
    "at" in mount && mount.at !== undefined ? [[mount.at, mount.path]] : [],
  );
  const apple = policy.commands?.some((each) => each.split(" ")[0] === "git") === true ? APPLE_GIT : [];
  return {
    allowed: [...mounts.map((mount) => mount.path), APPLE_SHELL, ...apple],
    path: path
      .split(":")
      .map((folder) => relocated.find(([at]) => at === folder)?.[1] ?? folder)
      .join(":"),
    shell,
    argv: [program, ...rest],
  };
}

/** Limits are set outside, so that a list of commands need not contain a shell. dash imports no functions from the environment. */
function withLimits({ limits }: SandboxPolicy, argv: Argv): Argv {
  const blocks = Math.ceil(limits.fileBytes / BLOCK_BYTES);
  const cpuTime = limits.cpuSeconds === null ? "unlimited" : String(limits.cpuSeconds);
  const script = 'ulimit -c 0 && ulimit -f "$1" && ulimit -t "$2" && shift 2 && exec "$@"';
  return ["/bin/dash", "-c", script, "nightshift", String(blocks), cpuTime, ...argv];
}

/** Errors of sandbox-exec or of the shell that sets the limits. */
function explain(stderr: string): string | null {
  const reason = /^(?:sandbox-exec|nightshift: \d+): (.+)/.exec(stderr)?.[1];
  return reason === undefined ? null : `The macOS sandbox could not be started: ${reason}`;
}

/** /tmp and /var are links on macOS, and rules apply to real paths. */
function resolvePaths(policy: SandboxPolicy): SandboxPolicy {
  return {
    ...policy,
    ...resolveGrants(policy),
    cwd: realpathSync.native(policy.cwd),
    own: { write: resolveAll(policy.own.write), read: resolveAll(policy.own.read.filter((path) => existsSync(path))) },
    protect: policy.protect.filter((path) => existsSync(dirname(path))).flatMap(resolveProtected),
  };
}

function resolveAll(list: readonly string[]): string[] {
  return list.map((path) => realpathSync.native(path));
}

/** A protected link may neither be replaced nor written through. */
function resolveProtected(path: string): string[] {
  const ownPath = join(realpathSync.native(dirname(path)), basename(path));
  return existsSync(path) ? [ownPath, realpathSync.native(path)] : [ownPath];
}
