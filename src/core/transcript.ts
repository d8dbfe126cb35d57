import type { Tokens } from "./run.ts";

/** One line of `transcript.jsonl`, written by the supervisor as it came. */
export interface TranscriptLine {
  readonly at: number;
  readonly from: "stdout" | "stderr" | "supervisor";
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
  | { readonly type: "usage"; readonly tokens: Tokens; readonly costUsd: number | null; readonly model: string | null }
  | { readonly type: "limit"; readonly kind: "usage" | "rate"; readonly resetsAt: number | null }
  | { readonly type: "session"; readonly id: string }
  | { readonly type: "error"; readonly message: string }
  | { readonly type: "raw"; readonly text: string };
