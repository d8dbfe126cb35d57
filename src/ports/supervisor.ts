import type { EndedBy, Exit } from "../core/task/run.ts";
import type { Secret } from "../policy/secrets/secret-forms.ts";
import type { SandboxMode } from "../core/task/settings.ts";
import type { GatewayPlan } from "./gateway.ts";
import type { Denial, SandboxPolicy } from "./sandbox.ts";

/**
 * Starts and watches supervisors: small detached processes that own one job's process tree and outlive the daemon.
 * All they know comes from the job, all they did stands in the job's directory.
 */
export interface Supervisors {
  /**
   * A job for this directory is about to come: its supervisor starts while the rest is made ready. One whose job never
   * comes is dismissed, or ends with the process that prepared it; nothing of a job happens before `start`.
   */
  prepare(dir: string): void;
  dismiss(dir: string): void;
  /** Starts the job, unless its directory was claimed before: a second start is harmless. */
  start(job: Job): Promise<void>;
  /**
   * Resolves when the job has ended, with its exit record; `lost` when its supervisor died without writing one (its
   * process tree is ended first). Rejects with the signal's reason when the signal aborts; the job goes on.
   * `onOutput` is called while it runs, whenever the transcript grew.
   */
  watch(dir: string, options: WatchOptions): Promise<JobResult>;
  /** Says something to a live supervisor. False when there is none. */
  control(dir: string, order: ControlOrder): Promise<boolean>;
  /** True once somebody claimed the job: it ran, runs, or ended, and will not be started again. */
  wasStarted(dir: string): Promise<boolean>;
  /** True while the job is under way: its supervisor lives and has not written the record yet. */
  isAlive(dir: string): Promise<boolean>;
}

export interface WatchOptions {
  readonly signal: AbortSignal;
  readonly onOutput: () => void;
}

/**
 * `stop`: ask politely, five seconds, then the tree. `kill`: the tree now. `release`: as `stop`, but nobody gave the task
 * up: the command ends by `lost`, and its run is taken up again later.
 */
export type ControlOrder = "stop" | "kill" | "release" | "pause" | "resume";

/** One or more commands, one after the other. `job.json` in the directory holds it, without secrets. */
export interface Job {
  /** The job's directory, which exists. Whoever makes `claim/` in it first is its supervisor. */
  readonly dir: string;
  readonly run: string;
  readonly sandbox: SandboxMode;
  readonly commands: readonly JobCommand[];
  /** Environment variables that are secrets: handed over by an inherited pipe, never written. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Keys for the model gateways of the commands, by name: no command gets them. Handed over by the same pipe. */
  readonly keys: Readonly<Record<string, string>>;
  /** Values that must not reach a transcript or log, whether or not the commands get them; handed over by the same pipe. */
  readonly redact: readonly Secret[];
  /** Start stopped (the task was paused before the run began). */
  readonly paused: boolean;
}

export interface JobCommand {
  readonly name: string;
  readonly argv: readonly [string, ...string[]];
  readonly policy: SandboxPolicy;
  /** Fed to stdin; without it stdin is empty. */
  readonly stdinFile: string | null;
  readonly timeoutMs: number;
  /** No output for this long ends it; null: no such limit. */
  readonly idleMs: number | null;
  /** Output beyond this is cut (head and tail kept) and the command goes on. */
  readonly maxOutputBytes: number;
  /** Output beyond this ends the command (`endedBy: output`); null: no such limit. */
  readonly killOutputBytes: number | null;
  /** The log this command's output goes to, relative to the job's directory; null: the transcript. */
  readonly logFile: string | null;
  /** Whether the following commands still run when this one fails. */
  readonly ifFails: "stop" | "continue";
  /** Run once more at once when it fails; if that passes, the command is `flaky`. */
  readonly rerun: boolean;
  /** Which of the job's secrets it gets. */
  readonly secretNames: readonly string[];
  /** The model gateway that stands beside it; null: none. */
  readonly gateway: GatewayPlan | null;
  /** When one of these exists and the process says nothing for ten seconds, it is ended as `hung_after_outcome`. */
  readonly outcomeFiles: readonly string[];
}

/** `exit.json`. */
export interface ExitRecord {
  readonly run: string;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly pausedMs: number;
  readonly commands: readonly CommandResult[];
  /** What the sandbox refused, each once, with how often. */
  readonly denials: readonly (Denial & { readonly count: number })[];
  /** Set where the supervisor could not do its work: sandbox refused, disk full, program not found. */
  readonly error: { readonly kind: "sandbox_refused" | "disk_full" | "internal"; readonly message: string } | null;
}

export interface CommandResult {
  readonly name: string;
  readonly exit: Exit;
  readonly endedBy: EndedBy;
  readonly durationMs: number;
  readonly outputBytes: number;
  readonly flaky: boolean;
  /** Set when the program could not be started at all. */
  readonly startError: string | null;
}

export type JobResult = { readonly kind: "ended"; readonly record: ExitRecord } | { readonly kind: "lost" };
