import type { SessionEvent, TranscriptEvent, TranscriptSource } from "../task/documents/transcript.ts";

/** Events as the HTTP API delivers them. */
export type EntryEvent =
  | Exclude<TranscriptEvent, { readonly type: "usage" | "limit" }>
  | { readonly type: "usage" }
  | { readonly type: "limit"; readonly kind: "usage" | "rate"; readonly resets_at: string | null };

/** One line of a transcript. */
export interface EntryLine {
  /** Byte offset in the transcript. */
  readonly offset: number;
  readonly at: string;
  readonly from: TranscriptSource;
  readonly command: string;
  readonly events: readonly EntryEvent[];
}

export interface ToolResult {
  readonly output: string;
  readonly failed: boolean;
  readonly at: string;
}

/** What a person reads as one thing: a paragraph, a tool call with its result, a block of output. */
export type EntryContent =
  | { readonly kind: "text"; readonly text: string; readonly isOpen: boolean }
  | { readonly kind: "thinking"; readonly text: string }
  | { readonly kind: "tool"; readonly name: string; readonly input: unknown; readonly result: ToolResult | null }
  /** The call is before the part of the transcript that was read. */
  | { readonly kind: "result"; readonly result: ToolResult }
  | { readonly kind: "file"; readonly path: string; readonly change: "created" | "modified" | "deleted" }
  | { readonly kind: "limit"; readonly limit: "usage" | "rate"; readonly resetsAt: string | null }
  | { readonly kind: "session"; readonly session: SessionEvent }
  /** What the agent reports as its outcome. */
  | { readonly kind: "report"; readonly value: unknown; readonly isValid: boolean | null }
  | { readonly kind: "error"; readonly message: string }
  | { readonly kind: "output"; readonly command: string; readonly from: TranscriptSource; readonly text: string };

export type Entry = EntryContent & {
  /** The same for each way to read the transcript, unless the entry crosses the start of what was read. */
  readonly key: string;
  /** Of its first line. */
  readonly offset: number;
  /** Of the last line that belongs to it. Lines of a result can be far below the call. */
  readonly lastOffset: number;
  readonly at: string;
};
