import type { SandboxPolicy } from "../../src/ports/sandbox.ts";
import type { ExitRecord, JobCommand } from "../../src/ports/supervisor.ts";
import type { Bench } from "./bench.ts";

/** Something that a hostile agent may try. */
export type Attack = Attempt | Play;

interface Described {
  /** What is tried. Unique within the topic. */
  readonly name: string;
  /** Numbers in the list of fifty attacks that the sandbox was designed against. None if it was added later. */
  readonly numbers?: readonly number[];
  /** Restricts it to one kind of user. Default: both. */
  readonly only?: User;
  /** The attack succeeds, and why it is not (yet) prevented. The test fails once that is no longer true. */
  readonly open?: { readonly as: readonly User[]; readonly because: string };
}

/** Tried by a program that runs in the agent's place. */
export interface Attempt extends Described {
  readonly kind: "attempt";
  /**
   * Runs inside the sandbox. Returns what it obtained; throws the system's error or `Refused` if it obtained nothing. Any other
   * error is a fault of the attack and does not count as prevented.
   */
  readonly attempt: (scene: Scene) => string | Promise<string>;
  /** Checked outside afterwards, independent of the attacker's result. Returns the harm, or null. */
  readonly harm?: (scene: Scene) => string | null;
  readonly control: Control;
  /** Runs in a separate sandbox, because it may disturb the others. */
  readonly alone?: true;
}

/** Needs more than one program: what the engine does before and after is part of it. */
export interface Play extends Described {
  readonly kind: "play";
  /** Returns the harm that was done with sandbox and precautions, or null. */
  readonly guarded: (stage: Stage) => Promise<string | null>;
  /** The same without them, like someone who trusts the agent. */
  readonly control: ((stage: Stage) => Promise<string | null>) | Uncontrolled;
}

/**
 * Where the same attempt is made to show that it works without the sandbox. `plain`: no sandbox. `namespace`: as root in
 * temporary namespaces. `child`: started by the daemon itself, without a supervisor.
 */
export type Control = Ground | { readonly on: Ground; readonly only: User; readonly because: string } | Uncontrolled;
export type Ground = "plain" | "namespace" | "child";
export type User = "root" | "person";

/** The harm cannot be shown without doing it. */
export interface Uncontrolled {
  readonly none: string;
}

export function isUncontrolled(control: Attack["control"]): control is Uncontrolled {
  return typeof control === "object" && "none" in control;
}

/** The result. `absent`: this machine has nothing of the kind to attack. */
export interface Result {
  readonly outcome: "worked" | "stopped" | "absent" | "broken";
  readonly said: string;
}

export interface Results {
  readonly guarded: Result;
  readonly control: Result | null;
}

/** Decoys outside the sandbox. Their permissions are open, so that only the sandbox protects them. */
export interface Scene {
  readonly id: string;
  readonly root: string;
  /** A copy of these sources that every user can read. */
  readonly kit: string;
  /** The workspace. `protected/` in it is read-only. */
  readonly work: string;
  readonly outside: string;
  /** Stored in several places outside, and nowhere else. */
  readonly secret: string;
  readonly person: string;
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

/** What a multi-step attack can use. */
export interface Stage {
  readonly scene: Scene;
  /** A directory for temporary files, removed afterwards. */
  readonly dir: string;
  run(order: RunOrder): Promise<Ran>;
  readonly bench: Bench;
}

export interface RunOrder {
  readonly sandbox: "enforce" | "none";
  readonly argv: readonly [string, ...string[]];
  readonly policy: SandboxPolicy;
  readonly changes?: Partial<JobCommand>;
}

export interface Ran {
  readonly record: ExitRecord;
  readonly stdout: string;
  readonly stderr: string;
  readonly notes: string;
}

/** The kernel or the sandbox refused. */
export class Refused extends Error {}

/** This machine has nothing of the kind. */
export class Absent extends Error {}
