import type { EndedBy, Exit } from "../core/task/run.ts";
import type { Secret } from "../policy/secrets/secret-forms.ts";
import type { SandboxMode } from "../core/settings/settings.ts";
import type { ForgeGatewayPlan, GatewayPlan } from "./gateway.ts";
import type { Denial, SandboxPolicy } from "./sandbox.ts";

/**
 * Starts and watches supervisors: small detached processes that own one job's process tree and outlive the daemon.
 * Their input is the job, and their results are files in the job's directory.
 */
export interface Supervisors {
  /**
   * Starts the supervisor early, while the job for this directory is still being prepared. If the job never comes, call
   * `dismiss`; otherwise the supervisor ends together with this process. No command runs before `start`.
   */
  prepare(dir: string): void;
  dismiss(dir: string): void;
  /** Starts the job. A second start of the same directory does nothing, because the directory is already claimed. */
  start(job: Job): Promise<void>;
  /**
   * Resolves with the exit record when the job has ended, or with `lost` if its supervisor died without writing one (the
   * remaining processes are killed first). Rejects with the signal's reason when the signal aborts; the job continues.
   * `onOutput` is called while the job runs, whenever the transcript grew. `onProgress` is called in order for each start and
   * end of a command since the job began, also those before this call, and never after the promise has settled.
   */
  watch(dir: string, options: WatchOptions): Promise<JobResult>;
  /** Sends an order to a live supervisor. Returns false if there is none. */
  control(dir: string, order: ControlOrder): Promise<boolean>;
  /** True once a supervisor claimed the job. Such a job is never started again. */
  wasStarted(dir: string): Promise<boolean>;
  /** True while the job's supervisor is alive and has not written the exit record. */
  isAlive(dir: string): Promise<boolean>;
  /** Removes what supervisors that are gone could not remove themselves, for example on a read-only disk. */
  sweep(): Promise<void>;
}

export interface WatchOptions {
  readonly signal: AbortSignal;
  readonly onOutput: () => void;
  readonly onProgress?: ((progress: CommandProgress) => void) | undefined;
}

/** The start or the end of a command of a job. */
export interface CommandProgress {
  readonly at: number;
  readonly command: string;
  /** Null at the start. */
  readonly result: CommandResult | null;
}

/**
 * `stop`: ask the command to end, kill its process tree after five seconds. `kill`: kill the tree now. `release`: like
 * `stop`, but the command is recorded as `lost`, and the run is resumed later. `end_stuck`: like `stop`, but recorded as `stuck`.
 */
export type ControlOrder = "stop" | "kill" | "release" | "end_stuck" | "pause" | "resume";

/** One or more commands that run one after the other. Stored as `job.json` in the directory, without secrets. */
export interface Job {
  /** The job's directory, which must exist. The process that creates `claim/` in it first is its supervisor. */
  readonly dir: string;
  readonly run: string;
  readonly sandbox: SandboxMode;
  readonly commands: readonly JobCommand[];
  /** Secret environment variables. Passed through an inherited pipe, never written to disk. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Keys for the commands' gateways, by name. No command receives them. Passed through the same pipe. */
  readonly keys: Readonly<Record<string, string>>;
  /** Values to redact from transcripts and logs, even if no command receives them. Passed through the same pipe. */
  readonly redact: readonly Secret[];
  /** Start suspended, because the task was paused before the run began. */
  readonly paused: boolean;
}

export interface JobCommand {
  readonly name: string;
  readonly argv: readonly [string, ...string[]];
  readonly policy: SandboxPolicy;
  /** Content for stdin. Null means an empty stdin. */
  readonly stdinFile: string | null;
  readonly timeoutMs: number;
  /** The command is ended after this long without output. Null means no limit. */
  readonly idleMs: number | null;
  /** Longer output is truncated (head and tail are kept); the command continues. */
  readonly maxOutputBytes: number;
  /** Longer output ends the command (`endedBy: output`). Null means no limit. */
  readonly killOutputBytes: number | null;
  /** Log file for the output, relative to the job's directory. Null means the transcript. */
  readonly logFile: string | null;
  /** Whether the following commands run if this one fails. */
  readonly ifFails: "stop" | "continue";
  /** Run a failed command once more immediately, unless its program is missing. If it passes then, it is `flaky`. */
  readonly rerun: boolean;
  /** Names of the job's secrets that the command receives. */
  readonly secretNames: readonly string[];
  /** The model gateway for this command. Null means none. */
  readonly gateway: GatewayPlan | null;
  /** The forge gateway for this command, if it has one. */
  readonly forgeGateway?: ForgeGatewayPlan;
  /** The MCP servers of this command that its broker serves, if there are any. */
  readonly mcpServers?: readonly BrokeredMcpServer[];
  /** If one of these files exists and the process prints nothing for ten seconds, it is ended as `hung_after_outcome`. */
  readonly outcomeFiles: readonly string[];
}

/**
 * An MCP server for which the supervisor runs a broker: a Unix socket in the sandbox. Its secrets are among the job's keys, so no
 * command receives them.
 */
export interface BrokeredMcpServer {
  readonly name: string;
  /** What to start outside of the sandbox, once for each connection. Null if the server runs inside, and only asks for its secrets. */
  readonly outside: {
    readonly argv: readonly [string, ...string[]];
    readonly env: Readonly<Record<string, string>>;
  } | null;
  /** Names of the job's keys that the server gets as environment variables. */
  readonly keyNames: readonly string[];
}

/** `exit.json`. */
export interface ExitRecord {
  readonly run: string;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly pausedMs: number;
  readonly commands: readonly CommandResult[];
  /** What the sandbox refused, without duplicates and with a count. */
  readonly denials: readonly (Denial & { readonly count: number })[];
  /** Set if the supervisor could not do its work: sandbox refused, disk full, program not found. */
  readonly error: { readonly kind: "sandbox_refused" | "disk_full" | "internal"; readonly message: string } | null;
}

export interface CommandResult {
  readonly name: string;
  readonly exit: Exit;
  readonly endedBy: EndedBy;
  readonly durationMs: number;
  readonly outputBytes: number;
  readonly flaky: boolean;
  /** Set if the command was run again: where the first, failed run ends in the log file, and where the output of the second starts. */
  readonly repetition?: { readonly failedRunEnd: number; readonly start: number };
  /** Set if the program could not be started. */
  readonly startError: string | null;
}

export type JobResult = { readonly kind: "ended"; readonly record: ExitRecord } | { readonly kind: "lost" };
