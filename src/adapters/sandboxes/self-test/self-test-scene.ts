import { randomUUID } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SandboxContext, SandboxPolicy } from "../../../ports/sandbox.ts";

/** Files, sockets and listeners outside of the sandbox that the probes try to reach. */
export interface Scene {
  readonly id: string;
  readonly policy: SandboxPolicy;
  readonly sandboxContext: Omit<SandboxContext, "onDenied">;
  /** Readable in the sandbox, because the probes connect with it. */
  readonly node: string;
  readonly work: string;
  readonly outside: string;
  readonly secret: string;
  /** Files in the user's home that a run must not see. */
  readonly userFiles: readonly string[];
  readonly tcpPort: number;
  /** Linux only. Abstract sockets belong to a network namespace instead of a directory. */
  readonly abstractSocket: string;
  readonly socketPath: string;
  /** Number of connections that reached one of the listeners. */
  readonly connectionCount: () => number;
  readonly namespaces: Readonly<Record<string, string>>;
  /** The seccomp filters that already apply to this process. */
  readonly seccomp: { readonly mode: number; readonly filters: number | null };
  remove(): Promise<void>;
}

export interface SceneParams {
  /** Nightshift's home. The self-test runs in it, as runs do. */
  readonly home: string;
  readonly userHome: string;
}

export const NAMESPACES = ["mnt", "pid", "net", "ipc", "uts", "cgroup"] as const;

const MAX_USER_FILES = 50;
const CREDENTIALS = [".ssh", ".gnupg", ".aws", ".kube", ".docker", ".config/gh", ".claude"];
const MEGABYTE = 2 ** 20;

export async function openScene({ home, userHome: personHome }: SceneParams): Promise<Scene> {
  const id = randomUUID();
  const dir = mkdtempSync(join(home, "self-test-"));
  // Short, because socket paths are limited, and in a directory that runs do not share.
  const tmp = mkdtempSync(join(tmpdir(), "nightshift-"));
  const node = realpathSync(process.execPath);
  const [work, outside] = [join(dir, "work"), join(dir, "outside")];
  for (const each of [work, outside]) mkdirSync(each);
  writeFileSync(join(outside, "secret"), id, { mode: 0o600 });

  let connections = 0;
  const servers: Server[] = [];
  const listen = async (address: { readonly path: string } | { readonly port: number; readonly host: string }) => {
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    servers.push(server);
    await new Promise<void>((ready, fail) => server.once("error", fail).listen(address, ready));
    return server;
  };
  const remove = async (): Promise<void> => {
    await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed))));
    for (const each of [dir, tmp]) rmSync(each, { recursive: true, force: true });
  };
  try {
    const tcp = (await listen({ port: 0, host: "127.0.0.1" })).address();
    const abstractSocket = `nightshift-${id}`;
    const socketPath = join(tmp, "s");
    await listen({ path: socketPath });
    if (process.platform === "linux") await listen({ path: `\0${abstractSocket}` });
    return {
      id,
      policy: policyFor({ work, node, home }),
      sandboxContext: {
        dir: join(dir, "context"),
        socket: join(tmp, "w"),
        cache: join(dir, "cache"),
        run: `self-test-${id}`,
      },
      work,
      node,
      outside,
      secret: join(outside, "secret"),
      userFiles: findUserFiles(personHome),
      tcpPort: typeof tcp === "object" && tcp !== null ? tcp.port : 0,
      abstractSocket,
      socketPath,
      connectionCount: () => connections,
      namespaces: readNamespaces(),
      seccomp: readSeccomp(process.platform === "linux" ? readFileSync("/proc/self/status", "utf8") : ""),
      remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

function policyFor({ work, node, home }: { work: string; node: string; home: string }): SandboxPolicy {
  return {
    cwd: work,
    inPlace: false,
    own: { write: [work], read: [node] },
    write: [],
    read: [],
    protect: [],
    hide: [],
    programs: [],
    forbidden: [home],
    commands: null,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C" },
    network: [],
    privateHosts: [],
    answersNo: false,
    gateway: null,
    answersNoModel: false,
    executes: true,
    limits: {
      processes: 100,
      // Node does not start with 512 MB of address space for data.
      memoryBytes: 2048 * MEGABYTE,
      treeMemoryBytes: 1024 * MEGABYTE,
      cpuSeconds: 60,
      fileBytes: 64 * MEGABYTE,
      tmpBytes: 16 * MEGABYTE,
      diskBytes: 64 * MEGABYTE,
      diskFloorBytes: 0,
    },
  };
}

function findUserFiles(home: string): readonly string[] {
  if (!existsSync(home)) return [];
  const files = readdirSync(home, { withFileTypes: true }).filter((entry) => entry.isFile());
  const credentials = CREDENTIALS.map((name) => join(home, name)).filter((path) => existsSync(path));
  return [...credentials, ...files.slice(0, MAX_USER_FILES).map(({ name }) => join(home, name))];
}

function readNamespaces(): Record<string, string> {
  if (process.platform !== "linux") return {};
  return Object.fromEntries(
    NAMESPACES.flatMap((name) => {
      const file = `/proc/self/ns/${name}`;
      return existsSync(file) ? [[name, readlinkSync(file)]] : [];
    }),
  );
}

/** `filters` is null on kernels before 5.9, which do not count them. */
export function readSeccomp(status: string): { readonly mode: number; readonly filters: number | null } {
  const read = (name: string) => new RegExp(`^${name}:\\s+(\\d+)$`, "m").exec(status)?.[1];
  const filters = read("Seccomp_filters");
  return { mode: Number(read("Seccomp") ?? 0), filters: filters === undefined ? null : Number(filters) };
}
