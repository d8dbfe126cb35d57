/** The wall around a command. */
export interface Sandbox {
  /** What stands in each run's record: `none`, `external`, `bubblewrap`, `seatbelt`. */
  readonly name: string;
  /**
   * Puts up the wall for one command and says how to start it there; starts nothing of the command itself. Throws a
   * UserError of kind "unavailable" when the policy cannot be held here, and of kind "forbidden" when it asks for what
   * no run may have: then nothing runs.
   */
  open(policy: SandboxPolicy, argv: Argv, place: SandboxPlace): Promise<Confinement>;
}

export type Argv = readonly [string, ...string[]];

/** Granted already: what role and plan ask, within what the project and Nightshift allow. */
export interface SandboxPolicy {
  readonly cwd: string;
  /** Made by the engine for this run: there as named. */
  readonly own: { readonly write: readonly string[]; readonly read: readonly string[] };
  /** Asked for by people's files and plans: resolved to where they really lead, and refused where no run may go. */
  readonly write: readonly string[];
  readonly read: readonly string[];
  /** Read-only, though inside of what may be written; what is not there is passed over. */
  readonly protect: readonly string[];
  /** In the cwd, and nothing to be seen of it: an empty directory, an empty file. What is not there is passed over. */
  readonly hide: readonly string[];
  /** What no asked path may cover or lie in: Nightshift's data. (The person's home as a whole and the system's directories are known.) */
  readonly forbidden: readonly string[];
  /** Programs by name or path: these exist and no others. Null: those of the system's directories. */
  readonly commands: readonly string[] | null;
  /** What the command itself starts, by name or path: there as well, and not for others to list. */
  readonly programs: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** `host`, `host:port` or `*.suffix`, optionally with port; the port is 443 where none is named. Empty: no network. */
  readonly network: readonly string[];
  /** Whoever asks for a host is told that there is no way out, though there is none; it takes a moment longer to start. */
  readonly answersNo: boolean;
  /** The model gateway's socket outside; inside it is a port of loopback. Null: there is none. */
  readonly gateway: string | null;
  /** Without a gateway: whoever asks at its port is told that none was planned; it takes a moment longer to start. */
  readonly answersNoModel: boolean;
  /** False: nothing that stands in a writable place or in the cwd can be executed. */
  readonly executes: boolean;
  readonly limits: SandboxLimits;
}

export interface SandboxLimits {
  /** Processes and threads, together. */
  readonly processes: number;
  /** Of one process. */
  readonly memoryBytes: number;
  /** Of all processes together, with what they hold in files that have no name; looked at once a second. */
  readonly treeMemoryBytes: number;
  /** Of processors, for one process and all its threads; null: no limit. */
  readonly cpuSeconds: number | null;
  readonly fileBytes: number;
  /** Of /tmp, of /dev/shm and of System V memory, each. */
  readonly tmpBytes: number;
  /** Of everything writable that the engine made for this run, looked at now and then. */
  readonly diskBytes: number;
  /** When less than this is free where it writes, it is ended. */
  readonly diskFloorBytes: number;
}

export interface SandboxPlace {
  /** A directory of the command's own that no command can write; made and removed by the sandbox. */
  readonly dir: string;
  /** A path that is short enough for a socket, in a directory that only we may enter. */
  readonly socket: string;
  /** Kept between runs, in Nightshift's data; no command can write there. */
  readonly cache: string;
  /** Unique for the run: the wall may need a name, or a user of the run's own. */
  readonly run: string;
  readonly onDenied: (denial: Denial) => void;
}

/** Something the wall refused and that people can read about. */
export interface Denial {
  readonly kind: "network" | "file";
  /** `evil.example:443`; for files, that they are files: which ones, the transcript says. */
  readonly target: string;
  /** Why, and what would allow it. */
  readonly sentence: string;
}

export interface Confinement {
  readonly command: ConfinedCommand;
  /** After the command has ended: why the wall did not come up, so that nothing of the command ran; null when it did. */
  problem(status: string, stderr: string): string | null;
  /** Takes down what stands outside: sockets, files. Idempotent. */
  close(): Promise<void>;
}

export interface ConfinedCommand {
  readonly argv: Argv;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** What the process finds on its descriptors 3, 4, …, each to its end. */
  readonly inputs: readonly Uint8Array[];
  /** On so many descriptors after those the wall writes about itself; `Confinement.problem` reads all of it together. */
  readonly statusPipes: number;
  /** The first process is the wall itself: it is not to be asked politely, only those inside are. */
  readonly isWall: boolean;
}
