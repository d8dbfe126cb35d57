import type { z } from "zod";
import type { TranscriptEvent } from "../../../core/task/transcript.ts";

/** For CLIs that print one JSON object a line: what `read` makes of those that have a known form; others stay as they are. */
export function parseJsonLine<T>(
  line: string,
  form: z.ZodType<T>,
  read: (known: T) => readonly TranscriptEvent[],
): readonly TranscriptEvent[] {
  // What is no object is words: asking the first character saves an exception for each line.
  const parsed = line.startsWith("{") ? form.safeParse(parse(line)) : null;
  return parsed?.success === true ? read(parsed.data) : [{ type: "raw", text: line }];
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
