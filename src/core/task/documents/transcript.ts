import type { Tokens } from "../run.ts";

export const TRANSCRIPT_SOURCES = ["stdout", "stderr", "supervisor", "gateway"] as const;
export type TranscriptSource = (typeof TRANSCRIPT_SOURCES)[number];

/** One line of `transcript.jsonl`, written by the supervisor. */
export interface TranscriptLine {
  readonly at: number;
  /** `gateway`: our own events about model gateway traffic, one JSON object per line. */
  readonly from: TranscriptSource;
  /** Which command of the job printed it (`agent`, `setup`, a check's name). */
  readonly command: string;
  readonly text: string;
}

/** The parsed meaning of a transcript line, the same for every agent CLI. */
export type TranscriptEvent =
  /** `partial`: the next text continues this one, without a line break between them. */
  | { readonly type: "text"; readonly text: string; readonly partial?: boolean | undefined }
  | { readonly type: "thinking"; readonly text: string }
  | { readonly type: "tool_call"; readonly id: string; readonly name: string; readonly input: unknown }
  | { readonly type: "tool_result"; readonly id: string; readonly output: string; readonly failed: boolean }
  | { readonly type: "file_change"; readonly path: string; readonly change: "created" | "modified" | "deleted" }
  | UsageEvent
  | { readonly type: "limit"; readonly kind: "usage" | "rate"; readonly resetsAt: number | null }
  | SessionEvent
  /** The CLI's structured output, used as its outcome. */
  | { readonly type: "outcome"; readonly value: unknown }
  /** `failure`: why the run ended, if the CLI says so; null for messages that did not end it. The last one counts. */
  | { readonly type: "error"; readonly message: string; readonly failure: Failure | null }
  | { readonly type: "raw"; readonly text: string };

/** What the CLI says about itself when it starts. CLIs report different parts of it. */
export interface SessionEvent {
  readonly type: "session";
  readonly id: string;
  readonly version?: string | undefined;
  readonly model?: string | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly directory?: string | undefined;
}

export interface UsageEvent {
  readonly type: "usage";
  readonly tokens: Tokens;
  /** Null: not reported. */
  readonly costUsd: number | null;
  readonly model: string | null;
  /** `delta`: usage since the previous event. `session`: total of the session, including earlier runs. */
  readonly scope: "delta" | "session";
}

/** Kinds of failures, the same for every agent CLI. */
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
  "session_unknown", // the session cannot be resumed
] as const;
export type Failure = (typeof FAILURES)[number];
