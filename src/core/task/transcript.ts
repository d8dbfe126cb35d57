import type { Tokens } from "./run.ts";

export const TRANSCRIPT_SOURCES = ["stdout", "stderr", "supervisor", "gateway"] as const;
export type TranscriptSource = (typeof TRANSCRIPT_SOURCES)[number];

/** One line of `transcript.jsonl`, written by the supervisor as it came. */
export interface TranscriptLine {
  readonly at: number;
  /** `gateway`: events of ours, one JSON object a line, of what passed through the model gateway. */
  readonly from: TranscriptSource;
  /** Which command of the job printed it (`agent`, `setup`, a check's name). */
  readonly command: string;
  readonly text: string;
}

/** What a line means: the same union for every agent CLI. */
export type TranscriptEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  | { readonly type: "tool_call"; readonly id: string; readonly name: string; readonly input: unknown }
  | { readonly type: "tool_result"; readonly id: string; readonly output: string; readonly failed: boolean }
  | { readonly type: "file_change"; readonly path: string; readonly change: "created" | "modified" | "deleted" }
  | UsageEvent
  | { readonly type: "limit"; readonly kind: "usage" | "rate"; readonly resetsAt: number | null }
  | { readonly type: "session"; readonly id: string }
  /** The CLI's own structured output: what it says is its outcome. */
  | { readonly type: "outcome"; readonly value: unknown }
  /** `failure`: what kind of trouble ended the run, where the CLI says so; null: a mere message. The last one counts. */
  | { readonly type: "error"; readonly message: string; readonly failure: Failure | null }
  | { readonly type: "raw"; readonly text: string };

export interface UsageEvent {
  readonly type: "usage";
  readonly tokens: Tokens;
  /** Null: it does not say. */
  readonly costUsd: number | null;
  readonly model: string | null;
  /** `delta`: what came since the one before it. `session`: everything since the session began, earlier runs included. */
  readonly scope: "delta" | "session";
}

/** What went wrong, in words that every CLI shares. */
export const FAILURES = [
  "usage_limit", // of the subscription or account
  "rate_limit",
  "overloaded",
  "network",
  "login",
  "context_too_long",
  "refused",
  "max_turns",
  "budget",
  "session_unknown", // it cannot be resumed
] as const;
export type Failure = (typeof FAILURES)[number];
