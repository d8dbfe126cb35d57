import { chmodSync, existsSync, lstatSync, mkdirSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { UserError } from "../../../core/text/errors.ts";
import { covers } from "../../../policy/access/path-rules.ts";
import type { Argv, Sandbox, SandboxPlace, SandboxPolicy } from "../../../ports/sandbox.ts";
import { removeTree } from "../../git/workspace/remove-tree.ts";
import { diagnose, missingTool } from "../self-test/diagnose.ts";
import { chooseIdentity, handOver } from "../identity.ts";
import type { Identity } from "../identity.ts";
import { initCommand, STARTED } from "./init-script.ts";
import { mountOptions } from "./mount-plan.ts";
import type { Mount } from "./mount-plan.ts";
import { openNetwork } from "../egress/network.ts";
import type { Network } from "../egress/network.ts";
import { programMounts } from "./program-mounts.ts";
import { requireReadable } from "../grants/require-readable.ts";
import { resolveGrants } from "../grants/resolve-grants.ts";
import { seccompFilter } from "./seccomp.ts";
import type { FilterRules } from "./seccomp.ts";
import { stageNoExec } from "./stage.ts";
import { systemMounts } from "./system-mounts.ts";

const SETPRIV = "/usr/bin/setpriv";
const UNSHARE = "/usr/bin/unshare";
/** Descriptors, in the order of what stands on them: options, filter, what bubblewrap says, what the processes inside say. */
const [OPTIONS, FILTER, WALL_STATUS, INNER_STATUS] = [3, 4, 5, 6] as const;

/**
 * Linux. An empty root into which only what is listed is mounted, namespaces of its own for everything the kernel has one
 * for, a filter of system calls, no real root inside, limits, and nothing that outlives it.
 */
export const bubblewrap: Sandbox = {
  name: "bubblewrap",
  async open(policy, argv, place) {
    const identity = chooseIdentity(place.run);
    const tools = findTools(policy, identity);
    const grants = resolveGrants(policy);
    if (identity !== null) handOver([...policy.own.write, policy.cwd, ...ownFilesOf(policy)], identity);
    requireReadable(policy.own.read, identity);
    mkdirSync(place.dir, { recursive: true, mode: 0o700 });
    const programs = programMounts(policy, argv, place);
    const network = await openNetwork(policy, place, identity);
    const tmp = policy.executes ? null : makeTmp(place);
    const mounts: readonly Mount[] = [
      ...systemMounts(policy.commands === null),
      ...programs.mounts,
      ...(identity === null || policy.commands === null ? [] : [{ kind: "read", path: SETPRIV } as const]),
      ...ownFiles(place, identity),
      ...(tmp === null ? emptyTmp(policy) : [{ kind: "write", path: tmp, at: "/tmp" } as const]),
      ...network.mounts,
      ...grants.read.map((path): Mount => ({ kind: "read", path })),
      ...readOnly(policy).map((path): Mount => ({ kind: "read", path, ifThere: true })),
      ...grants.write.map((path): Mount => ({ kind: "write", path })),
      ...policy.own.write.map((path): Mount => ({ kind: "write", path })),
      ...policy.protect.map((path): Mount => ({ kind: "read", path, ifThere: true })),
      ...policy.hide.flatMap((path) => hiding(path, policy.cwd)),
    ];
    const options = [
      ...namespaceOptions(identity),
      ...KERNEL_OPTIONS,
      ...mountOptions(mounts),
      // After this, only what is mounted writable can be written.
      ...SEAL,
      ...environmentOptions({ ...policy.env, ...network.env, PATH: programs.path }),
    ];
    const inner: Argv = [
      ...initCommand({
        become: becomeOptions(identity),
        cwd: policy.cwd,
        limits: policy.limits,
        status: INNER_STATUS,
        relayTells: network.isRelayed,
      }),
      ...network.wrap([programs.program, ...argv.slice(1)], INNER_STATUS),
    ];
    const descriptors = ["--args", OPTIONS, "--seccomp", FILTER, "--json-status-fd", WALL_STATUS].map(String);
    const outer: Argv = [tools.bwrap, ...descriptors, "--", ...inner];
    const noExec = [policy.cwd, ...policy.own.write, ...(tmp === null ? [] : [tmp])];
    return {
      command: {
        argv: policy.executes ? outer : stageNoExec(noExec, outer, identity !== null),
        // For bubblewrap itself; the command's own environment is among the options, which nobody else can read.
        env: pick(policy.env, ["NIGHTSHIFT_RUN"]),
        cwd: "/",
        inputs: [encodeOptions(options), seccompFilter(architecture(), filterRules(policy))],
        statusPipes: 2,
        isWall: true,
      },
      problem: (status, stderr) => (hasStarted(status) ? null : explain(stderr)),
      close: () => closeAll(network, place),
    };
  },
};

/** Of what was written for this run, single files, such as its prompt: nobody but its own user needs them. */
function ownFilesOf({ own, forbidden }: SandboxPolicy): readonly string[] {
  const isOurs = (path: string): boolean => forbidden.some((each) => covers(each, path));
  return own.read.filter((path) => isOurs(path) && lstatSync(path, { throwIfNoEntry: false })?.isFile() === true);
}

function findTools(policy: SandboxPolicy, identity: Identity | null): { readonly bwrap: string } {
  const bwrap = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"].find((path) => existsSync(path));
  if (bwrap === undefined) throw missingTool("bwrap");
  if (identity !== null) requireTool(SETPRIV);
  if (!policy.executes) requireTool(UNSHARE);
  return { bwrap };
}

function requireTool(path: string): void {
  if (!existsSync(path)) throw missingTool(basename(path));
}

function architecture(): "x64" | "arm64" {
  if (process.arch === "x64" || process.arch === "arm64") return process.arch;
  throw new UserError(
    "unavailable",
    `The sandbox knows x64 and arm64 machines; this one is ${process.arch}.`,
    "Run Nightshift in a container or machine of its own and set `sandbox.mode: external` in your config.yaml.",
  );
}

function namespaceOptions(identity: Identity | null): readonly string[] {
  const own = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup"];
  const life = ["--die-with-parent", "--new-session", "--as-pid-1", "--hostname", "nightshift", "--cap-drop", "ALL"];
  if (identity !== null) {
    // Root has no user namespace, or it could not mount what only root can reach. What it needs to become another user it
    // has until it is that user.
    return [...own, ...life, ...["CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"].flatMap((name) => ["--cap-add", name])];
  }
  const { uid, gid } = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  return [...own, "--unshare-user", "--disable-userns", "--uid", String(uid), "--gid", String(gid), ...life];
}

/** An empty root, processes of its own, a few harmless devices. What a real root could still write in /proc is closed. */
const KERNEL_OPTIONS =
  "--tmpfs / --proc /proc --ro-bind /proc/sys /proc/sys --dev /dev --dir /run --dir /var --symlink /tmp /var/tmp".split(
    " ",
  );

const SEAL = ["--remount-ro", "/dev", "--remount-ro", "/"];

function becomeOptions(identity: Identity | null): readonly string[] {
  if (identity === null) return [];
  const uid = String(identity.uid);
  const nothing = ["--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"];
  return [SETPRIV, "--reuid", uid, "--regid", uid, "--clear-groups", ...nothing, "--"];
}

function environmentOptions(env: Readonly<Record<string, string>>): readonly string[] {
  return ["--clearenv", ...Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value])];
}

/** A link in its place may lead to anything in the workspace: what it leads to is hidden. Elsewhere there is nothing. */
function hiding(path: string, cwd: string): readonly Mount[] {
  try {
    const real = realpathSync(path);
    if (!real.startsWith(`${realpathSync(cwd)}/`)) return [];
    return statSync(real).isDirectory()
      ? [{ kind: "void", path: real }]
      : [{ kind: "read", path: "/dev/null", at: real }];
  } catch {
    return [];
  }
}

function readOnly({ cwd, own }: SandboxPolicy): readonly string[] {
  return [cwd, ...own.read].filter((path) => !own.write.includes(path));
}

function emptyTmp({ limits }: SandboxPolicy): readonly Mount[] {
  return ["/tmp", "/dev/shm"].map((path) => ({ kind: "empty", path, bytes: limits.tmpBytes }));
}

function filterRules({ executes, limits }: SandboxPolicy): FilterRules {
  return { executes, sharedBytes: limits.tmpBytes };
}

function makeTmp(place: SandboxPlace): string {
  const tmp = join(place.dir, "tmp");
  mkdirSync(tmp, { recursive: true });
  chmodSync(tmp, 0o1777);
  return tmp;
}

/** Who is who inside, and nobody else. */
function ownFiles(place: SandboxPlace, identity: Identity | null): readonly Mount[] {
  const uid = identity?.uid ?? process.getuid?.() ?? 0;
  const gid = identity?.uid ?? process.getgid?.() ?? 0;
  const files = {
    passwd: `agent:x:${uid}:${gid}:agent:/tmp:/bin/sh\n`,
    hosts: "127.0.0.1 localhost\n::1 localhost\n",
  };
  return Object.entries(files).map(([name, text]) => {
    const path = join(place.dir, name);
    writeFileSync(path, text);
    // Whatever the mask here: whoever runs inside may be another user.
    chmodSync(path, 0o644);
    return { kind: "read", path, at: `/etc/${name}` };
  });
}

function encodeOptions(options: readonly string[]): Uint8Array {
  return Buffer.from(options.map((option) => `${option}\0`).join(""));
}

/** bubblewrap saw its child end, and that child had come as far as the command. Whatever code it ended with is the command's. */
function hasStarted(status: string): boolean {
  return status.includes('"exit-code"') && status.includes(STARTED);
}

function explain(stderr: string): string {
  // Where the complaint is that of our own shell, its name and line say nothing to anybody.
  const { message, hint } = diagnose(stderr.replaceAll(/^nightshift: (?:line )?\d+: /gm, ""));
  return `${message} ${hint}`;
}

/** The directory may hold what the command left in its /tmp, with modes and depths of its own choice. */
async function closeAll(network: Network, place: SandboxPlace): Promise<void> {
  await network.close();
  await removeTree(place.dir).catch(() => undefined);
}

function pick(env: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}
