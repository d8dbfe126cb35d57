import { TRANSCRIPT_SOURCES, type TranscriptLine } from "../../core/task/transcript.ts";
import type { TranscriptPage } from "../../ports/run-files.ts";
import { readPart } from "./read-part.ts";

/** A megabyte of output, each byte of it as six characters of JSON, and what stands around it. */
const LONGEST_LINE = 7 * 1024 * 1024;

/** Whole lines only; a single line longer than `maxBytes` is returned nevertheless, else nobody would ever get past it. */
export async function readTranscriptPage(file: string, offset: number, maxBytes: number): Promise<TranscriptPage> {
  let part = await readPart(file, offset, maxBytes);
  let end = part?.lastIndexOf("\n") ?? -1;
  if (part !== null && end < 0 && part.length === maxBytes) {
    part = await readPart(file, offset, Math.max(maxBytes, LONGEST_LINE));
    end = part?.indexOf("\n") ?? -1;
  }
  if (part === null || end < 0) return { lines: [], next: offset };
  const lines = part.toString("utf8", 0, end).split("\n").flatMap(parseLine);
  return { lines, next: offset + end + 1 };
}

/** A line that is none (a disk that was full, a power cut) is left out. */
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
