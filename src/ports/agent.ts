import type { Role } from "../core/role.ts";
import type { TranscriptEvent } from "../core/transcript.ts";
import type { AgentSettings } from "../core/settings.ts";

/** An agent CLI, as two pure functions and a record of what it can do. It starts nothing itself. */
export interface Agent {
  readonly kind: string;
  readonly capabilities: AgentCapabilities;
  /** The command for one run. Nothing secret and no prompt in `argv`. */
  command(run: AgentRun): AgentCommand;
  /** What one line of its output means; a line it does not know is `raw`. Never throws. */
  parseLine(line: string): readonly TranscriptEvent[];
  /**
   * The program to look for on PATH, and how to ask its version; null where there is none to look for. Without
   * `versionArgs` it must not be asked: a program we do not know would start to work.
   */
  readonly program: { readonly name: string; readonly versionArgs: readonly string[] } | null;
}

export interface AgentCapabilities {
  readonly structuredOutput: boolean;
  readonly sessions: boolean;
  readonly reportsCost: boolean;
  readonly reportsLimits: boolean;
  readonly turnLimit: boolean;
  readonly budget: boolean;
  readonly mcp: boolean;
}

export interface AgentRun {
  readonly role: Role;
  readonly model: string | null;
  readonly maxTurns: number | null;
  readonly maxBudgetUsd: number | null;
  readonly tools: readonly string[];
  readonly sessionId: string | null;
  /** The rendered prompt stands here; the supervisor feeds it to stdin. */
  readonly promptFile: string;
}

export interface AgentCommand {
  readonly argv: readonly [string, ...string[]];
  /** Added to the run's environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly prompt: "stdin" | "file";
}

export type AgentFactory = (settings: AgentSettings) => Agent;
