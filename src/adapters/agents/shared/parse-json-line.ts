import type { z } from "zod";
import type { TranscriptEvent } from "../../../core/task/transcript.ts";

/** Parses output with one JSON object per line. Lines that do not match the schema become raw events. */
export function parseJsonLine<T>(
  line: string,
  schema: z.ZodType<T>,
  read: (known: T) => readonly TranscriptEvent[],
): readonly TranscriptEvent[] {
  // Checking the first character avoids an exception for each line of plain text.
  const parsed = line.startsWith("{") ? schema.safeParse(parse(line)) : null;
  return parsed?.success === true ? read(parsed.data) : [{ type: "raw", text: line }];
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
