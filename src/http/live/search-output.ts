import { setImmediate as letOthersRun } from "node:timers/promises";
import { isError, textOf } from "../../core/task/documents/transcript-text.ts";
import type { TranscriptEvent } from "../../core/task/documents/transcript.ts";
import type { Run } from "../../core/task/run.ts";
import { terminalText } from "../../core/text/terminal-text.ts";
import type { PlacedLine } from "../../ports/run-files.ts";
import type { OutputSearchJson } from "../contract/output.ts";
import { iso } from "../views/views.ts";
import type { OutputDeps } from "./output-feed.ts";

export interface OutputSearch {
  /** Null finds every error. */
  readonly text: string | null;
  readonly errors: boolean;
  readonly offset: number;
}

/** Small, because other requests are answered between two pages. */
const PAGE_BYTES = 128 * 1024;
/** What one request may read and find, so that none takes long. */
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_MATCHES = 1000;

export async function searchOutput(run: Run, search: OutputSearch, deps: OutputDeps): Promise<OutputSearchJson> {
  const needle = search.text?.toLowerCase() ?? null;
  const matches: OutputSearchJson["matches"] = [];
  for (let offset = search.offset; ;) {
    const page = await deps.runFiles.readTranscript(run.id, offset, PAGE_BYTES);
    const lines = needle === null ? page.lines : page.lines.filter(({ text }) => mayContain(text, needle));
    const events = await deps.parseTranscript(run, lines);
    const found = lines.filter((_, index) => (events[index] ?? []).some((event) => isMatch(event, needle, search)));
    matches.push(...found.map(toMatch));
    const complete = page.next === offset;
    offset = page.next;
    if (complete || offset - search.offset >= MAX_BYTES || matches.length >= MAX_MATCHES)
      return { run: run.id, matches, next: offset, size: page.size, complete };
    await letOthersRun();
  }
}

function toMatch({ offset, at }: PlacedLine): OutputSearchJson["matches"][number] {
  return { offset, at: iso(at) };
}

function isMatch(event: TranscriptEvent, needle: string | null, { errors }: OutputSearch): boolean {
  if (errors && !isError(event)) return false;
  return needle === null || terminalText(textOf(event)).toLowerCase().includes(needle);
}

/** Most lines are not parsed, because that takes longest. JSON can write the characters of a text in other ways. */
function mayContain(line: string, needle: string): boolean {
  return /["\\/]|[^\x20-\x7e]/.test(needle) || line.includes("\\u") || line.includes("\u001b")
    ? true
    : line.toLowerCase().includes(needle);
}
