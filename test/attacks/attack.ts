import type { SandboxPolicy } from "../../src/ports/sandbox.ts";
import type { ExitRecord, JobCommand } from "../../src/ports/supervisor.ts";
import type { JobRunner } from "./job-runner.ts";

/** Something that a hostile agent may try. */
export type Attack = Attempt | MultiStepAttack;

interface AttackDescription {
  /** Completes the sentence "an agent cannot …". Unique within the topic. */
  readonly name: string;
  /** Numbers in the list of fifty attacks that the sandbox was designed against. None if it was added later. */
  readonly numbers?: readonly number[];
  /** Restricts it to one kind of user. Default: both. */
  readonly only?: User;
  /** A known gap: the users for whom the attack succeeds, and why. The test fails once the attack is prevented. */
  readonly open?: { readonly as: readonly User[]; readonly because: string };
}

/** Made by a single program that runs instead of the agent. */
export interface Attempt extends AttackDescription {
  readonly kind: "attempt";
  /**
   * Runs inside the sandbox. Returns what it obtained; throws the system's error or `Refused` if it obtained nothing. Any other
   * error is a fault of the attack and does not count as prevented.
   */
  readonly attempt: (fixture: Fixture) => string | Promise<string>;
  /** Checked outside afterwards, independent of the attacker's result. Returns the harm, or null. */
  readonly harm?: (fixture: Fixture) => string | null | Promise<string | null>;
  readonly control: Control;
  /** Runs in a separate sandbox, because it may disturb the others. */
  readonly alone?: true;
}

/** Needs more than one program, because it includes what the engine does before and after. */
export interface MultiStepAttack extends AttackDescription {
  readonly kind: "multi_step";
  /** Returns the harm that was done with sandbox and precautions, or null. */
  readonly guarded: (context: AttackContext) => Promise<string | null>;
  /** The same attack without sandbox and precautions. */
  readonly control: ((context: AttackContext) => Promise<string | null>) | NoControl;
}

/**
 * Where the same attempt is made to show that it works without the sandbox. `plain`: no sandbox. `namespace`: as root in
 * temporary namespaces. `child`: started by the daemon itself, without a supervisor.
 */
export type Control =
  | ControlEnvironment
  | { readonly on: ControlEnvironment; readonly only: User; readonly because: string }
  | NoControl;
export type ControlEnvironment = "plain" | "namespace" | "child";
export type User = "root" | "user";

/** The attack cannot be run without a sandbox, because it would do real harm or has no effect there. */
export interface NoControl {
  readonly noneBecause: string;
}

export function hasNoControl(control: Attack["control"]): control is NoControl {
  return typeof control === "object" && "noneBecause" in control;
}

/** `absent`: this machine does not have the attacked feature. */
export interface Result {
  readonly outcome: "worked" | "stopped" | "absent" | "broken";
  readonly detail: string;
}

export interface Results {
  readonly guarded: Result;
  readonly control: Result | null;
}

/** Decoys outside the sandbox. Their permissions are open, so that only the sandbox protects them. */
export interface Fixture {
  readonly id: string;
  readonly root: string;
  /** A copy of these sources that every user can read. */
  readonly kit: string;
  /** The workspace. `protected/` in it is read-only. */
  readonly work: string;
  readonly outside: string;
  /** Stored in several places outside, and nowhere else. */
  readonly secret: string;
  readonly userHome: string;
  readonly nightshift: string;
  /** A directory with read access. */
  readonly readable: string;
  readonly daemonPid: number;
  readonly victimPid: number;
  readonly apiPort: number;
  readonly udpPort: number;
  readonly socket: string;
  readonly abstractSocket: string;
  readonly controlSocket: string;
  readonly proxyPort: number;
  readonly sharedMemoryKey: number;
}

/** Input of a multi-step attack. */
export interface AttackContext {
  readonly fixture: Fixture;
  /** A directory for temporary files, removed afterwards. */
  readonly dir: string;
  run(order: RunOptions): Promise<RunResult>;
  readonly runner: JobRunner;
}

export interface RunOptions {
  readonly sandbox: "enforce" | "none";
  readonly argv: readonly [string, ...string[]];
  readonly policy: SandboxPolicy;
  readonly changes?: Partial<JobCommand>;
}

export interface RunResult {
  readonly record: ExitRecord;
  readonly stdout: string;
  readonly stderr: string;
  readonly notes: string;
}

/** The kernel or the sandbox refused. */
export class Refused extends Error {}

/** This machine does not have the attacked feature. */
export class Absent extends Error {}
