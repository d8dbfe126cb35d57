import { z } from "zod";
import { FAILURES, type TranscriptEvent } from "../../../core/task/documents/transcript.ts";
import type { AgentCapabilities } from "../../../ports/agent.ts";
import { parseJson } from "./parse-json-line.ts";

/** Capabilities of programs about which Nightshift only knows the events they print. */
export const MINIMAL_CAPABILITIES: AgentCapabilities = {
  sessions: false,
  mcp: false,
  gateway: null,
};

/**
 * Programs written for Nightshift may print transcript events, one JSON object per line:
 * `{"type":"usage","tokens":{"input":120,"output":30},"cost_usd":0.002}`. They are optional: no outcome depends on them.
 */
const count = z.int().min(0).default(0);
const event = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("thinking"), text: z.string() }),
  z.object({ type: z.literal("tool_call"), id: z.string(), name: z.string(), input: z.unknown() }),
  z.object({ type: z.literal("tool_result"), id: z.string(), output: z.string(), failed: z.boolean().default(false) }),
  z.object({ type: z.literal("file_change"), path: z.string(), change: z.enum(["created", "modified", "deleted"]) }),
  z
    .object({
      type: z.literal("usage"),
      tokens: z.object({ input: count, output: count, cache_read: count, cache_write: count }),
      cost_usd: z.number().min(0).nullable().default(null),
      model: z.string().nullable().default(null),
      scope: z.enum(["delta", "session"]).default("delta"),
    })
    .transform(({ type, tokens, cost_usd, model, scope }) => ({
      type,
      tokens: {
        input: tokens.input,
        output: tokens.output,
        cacheRead: tokens.cache_read,
        cacheWrite: tokens.cache_write,
      },
      costUsd: cost_usd,
      model,
      scope,
    })),
  z
    .object({
      type: z.literal("limit"),
      kind: z.enum(["usage", "rate"]),
      resets_at: z.iso.datetime({ offset: true }).nullable().default(null),
    })
    .transform(({ type, kind, resets_at }) => ({
      type,
      kind,
      resetsAt: resets_at === null ? null : Date.parse(resets_at),
    })),
  z.object({
    type: z.literal("session"),
    id: z.string().min(1).max(200),
    version: z.string().optional(),
    model: z.string().optional(),
    tools: z.array(z.string()).optional(),
    directory: z.string().optional(),
  }),
  z.object({ type: z.literal("outcome"), value: z.unknown() }),
  z.object({ type: z.literal("error"), message: z.string(), failure: z.enum(FAILURES).nullable().default(null) }),
]);

/** Parses a line as an event. Any other line becomes a text event. */
export function parseEventLine(line: string): readonly TranscriptEvent[] {
  // Most lines are plain text. Checking the first character avoids an exception for each of them.
  if (!line.startsWith("{")) return [{ type: "text", text: line }];
  const parsed = event.safeParse(parseJson(line));
  return [parsed.success ? parsed.data : { type: "text", text: line }];
}
