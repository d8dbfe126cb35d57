import { randomBytes } from "node:crypto";

/** What the model does for the next request, independent of the vendor. */
export type Turn = Reply | Refusal;

export interface Reply {
  readonly thinking?: string;
  readonly text?: string;
  readonly tools?: readonly ToolUse[];
  readonly usage?: Partial<ApiUsage>;
  /** Default: the requested model. */
  readonly model?: string;
  readonly stopReason?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly delayMs?: number;
  /** Closes the connection after this many stream events. */
  readonly dropAfter?: number;
  /** Never responds, until the client gives up or the fake is closed. */
  readonly hangs?: boolean;
}

export interface Refusal {
  readonly status: number;
  /** `overloaded_error`, `authentication_error`, `rate_limit_error` … */
  readonly error: string;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Additional details of Google's errors. */
  readonly details?: readonly object[];
}

export interface ToolUse {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Some APIs prefix tool names with the name of the MCP server. */
  readonly namespace?: string;
}

export interface ApiUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
}

export const USAGE: ApiUsage = {
  input_tokens: 1000,
  output_tokens: 50,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

export function newId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString("hex")}`;
}

/** Short enough to split words and escapes, as real streams do. */
const PIECE = 24;

export function pieces(text: string): readonly string[] {
  const count = Math.ceil(text.length / PIECE);
  return Array.from({ length: count }, (_, index) => text.slice(index * PIECE, (index + 1) * PIECE));
}

/** Formats one server-sent event. */
export function sse(data: unknown, event?: string): string {
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}
