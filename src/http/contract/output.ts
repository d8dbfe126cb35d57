import { z } from "zod";
import { RUN_STATUSES } from "../../core/task/run.ts";
import { FAILURES, TRANSCRIPT_SOURCES } from "../../core/task/documents/transcript.ts";
import { time, tokensSchema } from "./common.ts";

export const transcriptEventSchema = z
  .discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("text"),
      text: z.string(),
      partial: z.boolean().optional().meta({ description: "The next text continues this one on the same line." }),
    }),
    z.strictObject({ type: z.literal("thinking"), text: z.string() }),
    z.strictObject({ type: z.literal("tool_call"), id: z.string(), name: z.string(), input: z.unknown() }),
    z.strictObject({ type: z.literal("tool_result"), id: z.string(), output: z.string(), failed: z.boolean() }),
    z.strictObject({
      type: z.literal("file_change"),
      path: z.string(),
      change: z.enum(["created", "modified", "deleted"]),
    }),
    z.strictObject({
      type: z.literal("usage"),
      tokens: tokensSchema,
      cost_usd: z.number().nullable(),
      model: z.string().nullable(),
      scope: z.enum(["delta", "session"]),
    }),
    z.strictObject({ type: z.literal("limit"), kind: z.enum(["usage", "rate"]), resets_at: time.nullable() }),
    z.strictObject({
      type: z.literal("session"),
      id: z.string(),
      version: z.string().optional(),
      model: z.string().optional(),
      tools: z.array(z.string()).readonly().optional(),
      directory: z.string().optional(),
    }),
    z.strictObject({ type: z.literal("outcome"), value: z.unknown() }),
    z.strictObject({ type: z.literal("error"), message: z.string(), failure: z.enum(FAILURES).nullable() }),
    z.strictObject({ type: z.literal("raw"), text: z.string() }),
  ])
  .meta({ id: "TranscriptEvent" });
export type TranscriptEventJson = z.output<typeof transcriptEventSchema>;

export const outputPageSchema = z
  .strictObject({
    run: z.string(),
    status: z.enum(RUN_STATUSES),
    offset: z.int(),
    next: z.int().meta({ description: "Offset of the next page; also the id in the stream." }),
    size: z.int().meta({ description: "Bytes of the whole transcript so far." }),
    ended: z.boolean().meta({ description: "True if the run has ended and this is the last page." }),
    lines: z.array(
      z.strictObject({
        offset: z.int().meta({ description: "Byte offset of the line in the transcript." }),
        at: time,
        from: z.enum(TRANSCRIPT_SOURCES),
        command: z.string(),
        text: z.string().optional().meta({ description: "The line as it was printed; only with `raw`." }),
        events: z.array(transcriptEventSchema),
      }),
    ),
  })
  .meta({ id: "OutputPage", description: "Complete lines of a run's transcript with their parsed events." });
export type OutputPageJson = z.output<typeof outputPageSchema>;

export const searchSchema = z
  .strictObject({
    run: z.string(),
    matches: z
      .array(z.strictObject({ offset: z.int(), at: time }))
      .meta({ description: "The matching lines, in order." }),
    next: z.int().meta({ description: "Where to continue. Everything before was searched." }),
    size: z.int().meta({ description: "Bytes of the whole transcript so far." }),
    complete: z.boolean().meta({ description: "Whether the transcript was searched to its present end." }),
  })
  .meta({ id: "OutputSearch", description: "A part of a search. Repeat it with `offset` = `next` until `complete`." });
export type OutputSearchJson = z.output<typeof searchSchema>;
