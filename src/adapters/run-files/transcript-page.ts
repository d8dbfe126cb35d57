import { TRANSCRIPT_SOURCES, type TranscriptLine } from "../../core/task/documents/transcript.ts";
import type { TranscriptPage } from "../../ports/run-files.ts";
import { readPart } from "./read-part.ts";

/** A line has at most a megabyte of output. JSON needs up to six characters per byte, plus the other fields. */
const MAX_LINE_BYTES = 7 * 1024 * 1024;

/** Returns only complete lines. A single line that is longer than `maxBytes` is returned too, so that readers can get past it. */
export async function readTranscriptPage(file: string, offset: number, maxBytes: number): Promise<TranscriptPage> {
  let size = maxBytes;
  let part = await readPart(file, offset, size);
  // Doubling the size reads at most twice as much as the line has.
  while (part !== null && part.length === size && size < MAX_LINE_BYTES && !part.includes("\n")) {
    size *= 2;
    part = await readPart(file, offset, size);
  }
  const end = (size === maxBytes ? part?.lastIndexOf("\n") : part?.indexOf("\n")) ?? -1;
  if (part === null || end < 0) return { lines: [], next: offset };
  const lines = part.toString("utf8", 0, end).split("\n").flatMap(parseLine);
  return { lines, next: offset + end + 1 };
}

/** Skips invalid lines, which a full disk or a power loss can leave behind. */
function parseLine(text: string): readonly TranscriptLine[] {
  try {
    const value: unknown = JSON.parse(text);
    return isLine(value) ? [value] : [];
  } catch {
    return [];
  }
}

function isLine(value: unknown): value is TranscriptLine {
  if (typeof value !== "object" || value === null) return false;
  const { at, from, command, text } = value as Partial<Record<keyof TranscriptLine, unknown>>;
  const isKnown = TRANSCRIPT_SOURCES.some((source) => source === from);
  return typeof at === "number" && isKnown && typeof command === "string" && typeof text === "string";
}
