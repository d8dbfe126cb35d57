import type { SandboxMode } from "../core/settings.ts";

/** The wall around a command. An adapter turns a policy into the command that starts it confined. */
export interface Sandbox {
  readonly mode: SandboxMode;
  /** What stands in each run's record, such as `none` or `bubblewrap 0.8.0`. */
  readonly name: string;
  /** Pure: starts nothing. Throws a UserError of kind "unavailable" when the policy cannot be held. */
  confine(policy: SandboxPolicy, argv: readonly [string, ...string[]]): ConfinedCommand;
}

export interface SandboxPolicy {
  readonly cwd: string;
  readonly write: readonly string[];
  readonly read: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface ConfinedCommand {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}
