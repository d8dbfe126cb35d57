import type { SandboxPolicy } from "../../src/ports/sandbox.ts";
import type { ExitRecord, JobCommand } from "../../src/ports/supervisor.ts";
import type { Bench } from "./bench.ts";

/** One thing that a hostile agent may try. */
export type Attack = Attempt | Play;

interface Described {
  /** What is tried, as a sentence without its end. Unique within the topic. */
  readonly name: string;
  /** Its numbers in the table of fifty that the sandbox was designed against; none: added since. */
  readonly numbers?: readonly number[];
  /** Which users it is for; both unless told. */
  readonly only?: User;
  /** It gets through, and why that is not (yet) stopped. The test says when that is no longer true. */
  readonly open?: { readonly as: readonly User[]; readonly because: string };
}

/** Tried by a program that stands where the agent stands. */
export interface Attempt extends Described {
  readonly kind: "attempt";
  /**
   * Runs inside. Comes back with what it got; throws the system's error, or `Refused`, when it got nothing. Anything else
   * that it throws is a fault of the attack, not a merit of the wall.
   */
  readonly attempt: (scene: Scene) => string | Promise<string>;
  /** Looked at outside afterwards, whatever the attacker believes: the harm, or null. */
  readonly harm?: (scene: Scene) => string | null;
  readonly control: Control;
  /** In a sandbox of its own, since it may disturb the others. */
  readonly alone?: true;
}

/** Needs more than one program: what the engine does before and after is part of it. */
export interface Play extends Described {
  readonly kind: "play";
  /** The harm that was done with the wall and our own care in place, or null. */
  readonly guarded: (stage: Stage) => Promise<string | null>;
  /** The same without: what anybody would do who trusts the agent. */
  readonly control: ((stage: Stage) => Promise<string | null>) | Uncontrolled;
}

/**
 * Where the same attempt is made to show that it works without the wall. `plain`: no sandbox. `namespace`: as root of
 * throw-away namespaces. `child`: started by the daemon itself, without a supervisor.
 */
export type Control = Ground | { readonly on: Ground; readonly only: User; readonly because: string } | Uncontrolled;
export type Ground = "plain" | "namespace" | "child";
export type User = "root" | "person";

/** Harm cannot be shown without doing it. */
export interface Uncontrolled {
  readonly none: string;
}

export function isUncontrolled(control: Attack["control"]): control is Uncontrolled {
  return typeof control === "object" && "none" in control;
}

/** What came of it. `absent`: this machine has nothing of the kind to attack. */
export interface Result {
  readonly outcome: "worked" | "stopped" | "absent" | "broken";
  readonly said: string;
}

export interface Results {
  readonly guarded: Result;
  readonly control: Result | null;
}

/** What stands outside for the attacker to reach for; all of it is decoys. Their rights are open: only the wall closes them. */
export interface Scene {
  readonly id: string;
  readonly root: string;
  /** A copy of these sources, readable by everybody. */
  readonly kit: string;
  /** The workspace, in which `protected/` is read-only. */
  readonly work: string;
  readonly outside: string;
  /** In several places outside, and nowhere else. */
  readonly secret: string;
  readonly person: string;
  readonly nightshift: string;
  /** Granted to be read. */
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

/** What a play has at hand. */
export interface Stage {
  readonly scene: Scene;
  /** Where the play may make what it needs; removed afterwards. */
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

/** The kernel or the wall said no. */
export class Refused extends Error {}

/** There is nothing of the kind on this machine. */
export class Absent extends Error {}
