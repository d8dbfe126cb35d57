import { chmodSync, existsSync, lstatSync, mkdirSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { UserError } from "../../../core/text/errors.ts";
import { covers } from "../../../policy/access/path-rules.ts";
import type { Argv, Sandbox, SandboxContext, SandboxPolicy } from "../../../ports/sandbox.ts";
import { removeTree } from "../../git/workspace/remove-tree.ts";
import { diagnose, missingToolError } from "../self-test/diagnose.ts";
import { chooseIdentity, chownToRunUser } from "../identity.ts";
import type { Identity } from "../identity.ts";
import { initCommand, STARTED } from "./init-script.ts";
import { mountOptions } from "./mount-plan.ts";
import type { Mount } from "./mount-plan.ts";
import { openNetwork } from "../egress/network.ts";
import type { Network } from "../egress/network.ts";
import { programMounts } from "./program-mounts.ts";
import { protectPaths } from "./protect-paths.ts";
import { requireReadable } from "../grants/require-readable.ts";
import { resolveGrants } from "../grants/resolve-grants.ts";
import { seccompFilter } from "./seccomp.ts";
import { stageNoExec, stageViews, withOuterNamespaces } from "./stage.ts";
import type { StagedMount } from "./stage.ts";
import { systemMounts } from "./system-mounts.ts";

const SETPRIV = "/usr/bin/setpriv";
const UNSHARE = "/usr/bin/unshare";
/** File descriptors: options, filter, bubblewrap's status, status of the processes inside. */
const [OPTIONS, FILTER, BWRAP_STATUS, INNER_STATUS] = [3, 4, 5, 6] as const;

/**
 * The sandbox for Linux: an empty root with only the listed mounts, all kinds of namespaces, a system call filter, no real
 * root inside, resource limits, and no process that outlives it.
 */
export const bubblewrap: Sandbox = {
  name: "bubblewrap",
  async open(policy, argv, context) {
    const identity = chooseIdentity(context.run);
    const grants = resolveGrants(policy);
    const readDirs = grants.read.filter((path) => statSync(path).isDirectory());
    const bwrap = findBwrap(identity, identity === null || readDirs.length > 0 || !policy.executes);
    if (identity !== null) chownToRunUser([...listOwnDirectories(policy), ...listRunFiles(policy)], identity);
    requireReadable(policy.own.read, identity);
    mkdirSync(context.dir, { recursive: true, mode: 0o700 });
    const programs = programMounts(policy, argv, context);
    const network = await openNetwork(policy, context, identity);
    const tmp = policy.executes ? null : makeTmp(context);
    const views = stageViews(readDirs, context.dir);
    const writable = [...grants.write, ...policy.own.write];
    const noExec = policy.executes ? [] : [viewOf(policy.cwd, views), ...writable, ...(tmp === null ? [] : [tmp])];
    const guard = protectPaths(policy.protect, writable);
    const mounts: readonly Mount[] = [
      ...systemMounts(policy.commands === null),
      ...withoutLinksIn([...readDirs, ...grants.write], programs.mounts),
      ...(identity === null || policy.commands === null ? [] : [{ kind: "read", path: SETPRIV } as const]),
      ...ownFiles(context, identity, programs.shell),
      ...(tmp === null ? emptyTmp(policy) : [{ kind: "write", path: tmp, at: "/tmp" } as const]),
      ...network.mounts,
      ...grants.read.filter((path) => !readDirs.includes(path)).map((path): Mount => ({ kind: "read", path })),
      ...views.map(({ path, at }): Mount => ({ kind: "read", path: at, at: path })),
      ...readOnly(policy).map((path): Mount => ({ kind: "read", path, isOptional: true })),
      ...grants.write.map((path): Mount => ({ kind: "write", path })),
      ...policy.own.write.map((path): Mount => ({ kind: "write", path })),
      ...guard.mounts,
      ...policy.hide.flatMap((path) => hiddenMounts(path, policy.cwd)),
    ];
    const options = [
      ...namespaceOptions(identity),
      ...KERNEL_OPTIONS,
      ...mountOptions(mounts),
      // After this, only the writable mounts can be written.
      ...SEAL,
      ...environmentOptions({ ...policy.env, ...network.env, PATH: programs.path, SHELL: programs.shell }),
    ];
    const inner: Argv = [
      ...initCommand({
        setprivOptions: setprivOptions(identity),
        cwd: policy.cwd,
        limits: policy.limits,
        status: INNER_STATUS,
        relayReportsStart: network.isRelayed,
      }),
      ...network.wrap([programs.program, ...argv.slice(1)], INNER_STATUS),
    ];
    const descriptors = ["--args", OPTIONS, "--seccomp", FILTER, "--json-status-fd", BWRAP_STATUS].map(String);
    const outer: Argv = [bwrap, ...descriptors, "--", ...inner];
    const run = policy.env["NIGHTSHIFT_RUN"];
    return {
      command: {
        argv: withOuterNamespaces([...views, ...noExec.map(stageNoExec)], outer, identity !== null),
        // For bubblewrap itself. The command's environment is passed in the options, which no other process can read.
        env: run === undefined ? {} : { NIGHTSHIFT_RUN: run },
        cwd: "/",
        inputs: [
          Buffer.from(options.map((option) => `${option}\0`).join("")),
          seccompFilter(architecture(), { executes: policy.executes, sharedBytes: policy.limits.tmpBytes }),
        ],
        statusPipes: 2,
        isIsolating: true,
      },
      problem: (status, stderr) => (hasStarted(status) ? null : explain(stderr)),
      close: async () => {
        guard.removePlaceholders();
        await closeAll(network, context);
      },
    };
  },
};

/** bubblewrap fails if it has to create a link that is part of a mounted folder. */
function withoutLinksIn(folders: readonly string[], mounts: readonly Mount[]): readonly Mount[] {
  return mounts.filter(({ kind, path }) => kind !== "link" || !folders.some((each) => covers(each, path)));
}

/** Single files written for this run, such as its prompt. Only the run's own user needs them. */
function listRunFiles({ own, forbidden }: SandboxPolicy): readonly string[] {
  const isNightshiftFile = (path: string): boolean => forbidden.some((each) => covers(each, path));
  return own.read.filter(
    (path) => isNightshiftFile(path) && lstatSync(path, { throwIfNoEntry: false })?.isFile() === true,
  );
}

function findBwrap(identity: Identity | null, needsUnshare: boolean): string {
  const bwrap = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"].find((path) => existsSync(path));
  if (bwrap === undefined) throw missingToolError("bwrap");
  if (identity !== null) requireTool(SETPRIV);
  if (needsUnshare) requireTool(UNSHARE);
  return bwrap;
}

function requireTool(path: string): void {
  if (!existsSync(path)) throw missingToolError(basename(path));
}

function architecture(): "x64" | "arm64" {
  if (process.arch === "x64" || process.arch === "arm64") return process.arch;
  throw new UserError(
    "unavailable",
    `The sandbox supports x64 and arm64 machines. This one is ${process.arch}.`,
    "Run Nightshift in a dedicated container or machine and set `sandbox.mode: external` in your config.yaml.",
  );
}

function namespaceOptions(identity: Identity | null): readonly string[] {
  const own = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup"];
  const processOptions = [
    "--die-with-parent",
    "--new-session",
    "--as-pid-1",
    "--hostname",
    "nightshift",
    "--cap-drop",
    "ALL",
  ];
  if (identity !== null) {
    // For root there is no user namespace, because inside one it could not mount what only root can reach. It keeps the
    // capabilities for changing the user until it has become that user.
    return [
      ...own,
      ...processOptions,
      ...["CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"].flatMap((name) => ["--cap-add", name]),
    ];
  }
  const { uid, gid } = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  return [...own, "--unshare-user", "--disable-userns", "--uid", String(uid), "--gid", String(gid), ...processOptions];
}

/** An empty root, a process namespace and a few harmless devices. Parts of /proc that a real root could write are made read-only. */
const KERNEL_OPTIONS =
  "--tmpfs / --proc /proc --ro-bind /proc/sys /proc/sys --dev /dev --dir /run --dir /var --symlink /tmp /var/tmp".split(
    " ",
  );

const SEAL = ["--remount-ro", "/dev", "--remount-ro", "/"];

function setprivOptions(identity: Identity | null): readonly string[] {
  if (identity === null) return [];
  const uid = String(identity.uid);
  const noPrivileges = ["--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"];
  return [SETPRIV, "--reuid", uid, "--regid", uid, "--clear-groups", ...noPrivileges, "--"];
}

function environmentOptions(env: Readonly<Record<string, string>>): readonly string[] {
  return ["--clearenv", ...Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value])];
}

/** A link may lead to anything in the workspace, so its target is hidden. A target outside does not exist inside the sandbox. */
function hiddenMounts(path: string, cwd: string): readonly Mount[] {
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

function readOnly({ cwd, inPlace, own }: SandboxPolicy): readonly string[] {
  return [...(inPlace ? [] : [cwd]), ...own.read].filter((path) => !own.write.includes(path));
}

/** A person's own directory never changes its owner. */
function listOwnDirectories({ cwd, inPlace, own }: SandboxPolicy): readonly string[] {
  return inPlace ? own.write : [...own.write, cwd];
}

/** Where the directory is mounted from. */
function viewOf(path: string, views: readonly StagedMount[]): string {
  return views.find((view) => view.path === path)?.at ?? path;
}

function emptyTmp({ limits }: SandboxPolicy): readonly Mount[] {
  return ["/tmp", "/dev/shm"].map((path) => ({ kind: "empty", path, bytes: limits.tmpBytes }));
}

function makeTmp(context: SandboxContext): string {
  const tmp = join(context.dir, "tmp");
  mkdirSync(tmp, { recursive: true });
  chmodSync(tmp, 0o1777);
  return tmp;
}

/** User and group names inside: only the run's own user. */
function ownFiles(context: SandboxContext, identity: Identity | null, shell: string): readonly Mount[] {
  const uid = identity?.uid ?? process.getuid?.() ?? 0;
  const gid = identity?.uid ?? process.getgid?.() ?? 0;
  const files = {
    passwd: `agent:x:${uid}:${gid}:agent:/tmp:${shell}\n`,
    hosts: "127.0.0.1 localhost\n::1 localhost\n",
  };
  return Object.entries(files).map(([name, text]) => {
    const path = join(context.dir, name);
    writeFileSync(path, text);
    // Explicit, because of the umask: the user inside may be a different one.
    chmodSync(path, 0o644);
    return { kind: "read", path, at: `/etc/${name}` };
  });
}

/** True if bubblewrap saw its child end after the child had started the command. The exit code is then the command's. */
function hasStarted(status: string): boolean {
  return status.includes('"exit-code"') && status.includes(STARTED);
}

function explain(stderr: string): string {
  // Remove the name and line of our own shell script from its messages.
  const { message, hint } = diagnose(stderr.replaceAll(/^nightshift: (?:line )?\d+: /gm, ""));
  return `${message} ${hint}`;
}

/** The directory may contain what the command left in its /tmp, with arbitrary modes and depth. */
async function closeAll(network: Network, context: SandboxContext): Promise<void> {
  await network.close();
  await removeTree(context.dir).catch(() => undefined);
}
