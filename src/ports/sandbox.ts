/** Isolates a command from the machine. */
export interface Sandbox {
  /** Recorded with each run: `none`, `external`, `bubblewrap`, `seatbelt`. */
  readonly name: string;
  /**
   * Sets up the sandbox for one command and returns how to start the command in it. Does not start the command. Throws a
   * UserError of kind "unavailable" if this machine cannot enforce the policy, and of kind "forbidden" if the policy asks for
   * something that no run may have. The command must not run in either case.
   */
  open(policy: SandboxPolicy, argv: Argv, context: SandboxContext): Promise<Confinement>;
}

export type Argv = readonly [string, ...string[]];

/** The effective permissions: what role and plan ask for, limited by what the project and Nightshift allow. */
export interface SandboxPolicy {
  readonly cwd: string;
  /** The cwd is a person's own directory. It must be one of the requested paths, keeps its owner, and may be a git checkout. */
  readonly inPlace: boolean;
  /** Directories the engine created for this run. They are mounted under the given path without further checks. */
  readonly own: { readonly write: readonly string[]; readonly read: readonly string[] };
  /** Paths requested by configuration files and plans. Links are resolved, and forbidden targets are rejected. */
  readonly write: readonly string[];
  readonly read: readonly string[];
  /**
   * Read-only paths inside writable directories. A missing one cannot be created: while the command runs, it is an empty file
   * if its name has an extension, otherwise an empty directory.
   */
  readonly protect: readonly string[];
  /** Paths in the cwd that appear as an empty directory or an empty file. Missing paths are ignored. */
  readonly hide: readonly string[];
  /** Requested paths may not contain these or be inside them: Nightshift's data. The user's home and system directories are always checked. */
  readonly forbidden: readonly string[];
  /** The only programs available inside, by name or path. Null means all programs of the system directories. */
  readonly commands: readonly string[] | null;
  /** Programs that the command itself needs, by name or path. Available in addition to `commands`, but not listed there. */
  readonly programs: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** `host`, `host:port` or `*.suffix`, optionally with a port; the default port is 443. Empty means no network. */
  readonly network: readonly string[];
  /** Exact `host:port` that may have a private address. `network` must allow them as well. */
  readonly privateHosts: readonly string[];
  /** Without network: run a proxy that answers every request with an explanation. Starting takes slightly longer. */
  readonly answersNo: boolean;
  /** Socket of the model gateway outside the sandbox; inside it is a loopback port. Null means no gateway. */
  readonly gateway: string | null;
  /** Socket of the forge gateway outside the sandbox; inside it is a loopback port and `/run/nightshift/forge.sock`. */
  readonly forgeGateway?: string;
  /** Socket of the broker for MCP servers outside the sandbox; inside it is `/run/nightshift/mcp.sock`. */
  readonly mcpBroker?: string;
  /** Without a gateway: answer requests to its port with an explanation. Starting takes slightly longer. */
  readonly answersNoModel: boolean;
  /** False: files in writable directories or in the cwd cannot be executed. */
  readonly executes: boolean;
  readonly limits: SandboxLimits;
}

export interface SandboxLimits {
  /** Processes and threads combined. */
  readonly processes: number;
  /** Per process. */
  readonly memoryBytes: number;
  /** For all processes together, including unnamed files in memory. Checked once a second. */
  readonly treeMemoryBytes: number;
  /** CPU time of one process with all its threads. Null means no limit. */
  readonly cpuSeconds: number | null;
  readonly fileBytes: number;
  /** Applies separately to /tmp, /dev/shm and System V shared memory. */
  readonly tmpBytes: number;
  /** For all writable directories that the engine created for this run. Checked periodically. */
  readonly diskBytes: number;
  /** The command is ended if less than this is free on the disks it writes to. */
  readonly diskFloorBytes: number;
}

export interface SandboxContext {
  /** A directory for this command that no command can write. The sandbox creates and removes it. */
  readonly dir: string;
  /** A path short enough for a Unix socket, in a directory that only this user can enter. */
  readonly socket: string;
  /** Kept between runs, in Nightshift's data. No command can write there. */
  readonly cache: string;
  /** Unique id of the run. Some sandboxes derive a name or a system user from it. */
  readonly run: string;
  readonly onDenied: (denial: Denial) => void;
}

/** Something the sandbox refused, reported to people. */
export interface Denial {
  readonly kind: "network" | "file";
  /** `evil.example:443` for network denials. File denials have no exact path; the transcript has the details. */
  readonly target: string;
  /** The reason, and the setting that would allow it. */
  readonly sentence: string;
}

export interface Confinement {
  readonly command: ConfinedCommand;
  /** Call it after the command ended. Returns why the sandbox failed to start (the command did not run), or null if it started. */
  problem(status: string, stderr: string): string | null;
  /** Releases everything outside the sandbox: sockets and files. Idempotent. */
  close(): Promise<void>;
}

export interface ConfinedCommand {
  readonly argv: Argv;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Contents of the process's file descriptors 3, 4, …, each followed by end of file. */
  readonly inputs: readonly Uint8Array[];
  /** Number of descriptors after `inputs` to which the sandbox writes its status. `Confinement.problem` gets all of it concatenated. */
  readonly statusPipes: number;
  /** The first process is the sandbox itself: send polite signals only to the processes inside. */
  readonly isIsolating: boolean;
}
