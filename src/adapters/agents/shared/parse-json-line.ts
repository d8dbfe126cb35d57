import type { z } from "zod";
import type { TranscriptEvent } from "../../../core/task/documents/transcript.ts";

interface LineFormat<T> {
  readonly schema: z.ZodType<T>;
  readonly read: (known: T) => readonly TranscriptEvent[];
  /** Matches the plain text that the CLI prints to stderr, without an event, if it does not know the session. */
  readonly sessionUnknown?: RegExp;
}

/** Parses output with one JSON object per line. Lines that do not match the schema become raw events. */
export function parseJsonLine<T>(line: string, format: LineFormat<T>): readonly TranscriptEvent[] {
  // Checking the first character avoids an exception for each line of plain text.
  if (!line.startsWith("{"))
    return format.sessionUnknown?.test(line) === true
      ? [{ type: "error", message: line, failure: "session_unknown" }]
      : [{ type: "raw", text: line }];
  const parsed = format.schema.safeParse(parseJson(line));
  return parsed.success ? format.read(parsed.data) : [{ type: "raw", text: line }];
}

/** Returns null if the text is not valid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
