import { TRANSCRIPT_SOURCES, type TranscriptLine } from "../../core/task/documents/transcript.ts";
import type { PlacedLine, TranscriptPage } from "../../ports/run-files.ts";
import { readEnd, readPart } from "./read-part.ts";

/** A line has at most a megabyte of output. JSON needs up to six characters per byte, plus the other fields. */
const MAX_LINE_BYTES = 7 * 1024 * 1024;
const LINE_FEED = 10;

/** Returns only complete lines. A single line that is longer than `maxBytes` is returned too, so that readers can get past it. */
export async function readTranscriptPage(file: string, offset: number, maxBytes: number): Promise<TranscriptPage> {
  let bytes = maxBytes;
  let found = await readPart(file, offset, bytes);
  // Doubling the size reads at most twice as much as the line has.
  while (found?.part.length === bytes && bytes < MAX_LINE_BYTES && !found.part.includes(LINE_FEED)) {
    bytes *= 2;
    found = await readPart(file, offset, bytes);
  }
  const { part, size } = found ?? NOTHING;
  const end = bytes === maxBytes ? part.lastIndexOf(LINE_FEED) : part.indexOf(LINE_FEED);
  if (end < 0) return { lines: [], start: offset, next: offset, size };
  return { lines: parseLines(part.subarray(0, end + 1), offset), start: offset, next: offset + end + 1, size };
}

/** Returns the complete lines that end at or before `before`. Like the above, at least one if there is any. */
export async function readTranscriptBefore(file: string, before: number, maxBytes: number): Promise<TranscriptPage> {
  let bytes = maxBytes;
  let found = await readEnd(file, before, bytes);
  while (found !== null && found.start > 0 && bytes < MAX_LINE_BYTES && !hasWholeLine(found.part)) {
    bytes *= 2;
    found = await readEnd(file, before, bytes);
  }
  const { part, size, start } = found ?? { ...NOTHING, start: 0 };
  // The first line is incomplete unless the file starts with it.
  const from = start === 0 ? 0 : part.indexOf(LINE_FEED) + 1;
  const end = part.lastIndexOf(LINE_FEED) + 1;
  if (end <= from) return { lines: [], start: start + from, next: start + from, size };
  return { lines: parseLines(part.subarray(from, end), start + from), start: start + from, next: start + end, size };
}

const NOTHING = { part: Buffer.alloc(0), size: 0 };

function hasWholeLine(part: Buffer): boolean {
  return part.indexOf(LINE_FEED) < part.lastIndexOf(LINE_FEED);
}

function parseLines(bytes: Buffer, offset: number): readonly PlacedLine[] {
  const lines: PlacedLine[] = [];
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(LINE_FEED, start);
    const line = parseLine(bytes.toString("utf8", start, end));
    if (line !== null) lines.push({ ...line, offset: offset + start });
    start = end + 1;
  }
  return lines;
}

/** Skips invalid lines, which a full disk or a power loss can leave behind. */
function parseLine(text: string): TranscriptLine | null {
  try {
    const value: unknown = JSON.parse(text);
    return isLine(value) ? value : null;
  } catch {
    return null;
  }
}

function isLine(value: unknown): value is TranscriptLine {
  if (typeof value !== "object" || value === null) return false;
  const { at, from, command, text } = value as Partial<Record<keyof TranscriptLine, unknown>>;
  const isKnown = TRANSCRIPT_SOURCES.some((source) => source === from);
  return typeof at === "number" && isKnown && typeof command === "string" && typeof text === "string";
}
