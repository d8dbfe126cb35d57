import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { claudeCode } from "../../src/adapters/agents/claude-code/claude-code.ts";
import { readTranscriptPage } from "../../src/adapters/run-files/transcript-page.ts";
import type { TranscriptLine } from "../../src/core/task/documents/transcript.ts";
import { atMost, type Measured } from "../report.ts";

const SAMPLE = new URL("../../src/adapters/agents/claude-code/fixtures/claude-full-profile.jsonl", import.meta.url);
const TOTAL_BYTES = 200_000_000;
/** The engine's page size. */
const PAGE_BYTES = 1_000_000;

const agent = claudeCode();

/** Parses a real transcript repeatedly: from the file on disk to events, in one process, page by page. */
export async function measureParse(): Promise<readonly Measured[]> {
  const folder = mkdtempSync(join(tmpdir(), "nightshift-bench-parse-"));
  try {
    const sample = readFileSync(SAMPLE, "utf8").trimEnd().split("\n");
    const sampleBytes = Buffer.byteLength(sample.join("\n")) + 1;
    const times = Math.ceil(TOTAL_BYTES / sampleBytes);
    const expected = sample.flatMap((line) => agent.parseLine(line)).length;
    const file = join(folder, "transcript.jsonl");
    const lines = sample.map((text) => `${JSON.stringify(asWritten(text))}\n`).join("");
    write(file, lines, times);
    await readAll(file, 20);
    const before = process.memoryUsage.rss();
    const start = performance.now();
    const { events, peak } = await readAll(file, Infinity);
    const value = performance.now() - start;
    if (events !== expected * times) throw new Error(`Read ${events} events instead of ${expected * times}.`);
    const megabytes = (times * sampleBytes) / 1e6;
    const limit = (megabytes / 50) * 1000;
    const grown = (peak - before) / 1e6;
    const speed = `${(megabytes / (value / 1000)).toFixed(0)} MB/s`;
    return [
      {
        row: "i",
        what: `parse: ${megabytes.toFixed(0)} MB of claude's output into ${events} events (${speed})`,
        unit: "ms",
        value,
        baseline: null,
        target: atMost(value, limit, `${limit.toFixed(0)} ms (50 MB/s)`),
      },
      {
        row: "i",
        what: "parse: peak memory",
        unit: "MB",
        value: grown,
        baseline: null,
        target: atMost(grown, 50, "50 MB"),
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function asWritten(text: string): TranscriptLine {
  return { at: 1_800_000_000_000, from: "stdout", command: "agent", text };
}

function write(file: string, lines: string, times: number): void {
  const handle = openSync(file, "w");
  for (let count = 0; count < times; count += 1) writeSync(handle, lines);
  closeSync(handle);
}

async function readAll(file: string, pages: number): Promise<{ readonly events: number; readonly peak: number }> {
  let events = 0;
  let peak = 0;
  for (let offset = 0, count = 0; count < pages; count += 1) {
    const page = await readTranscriptPage(file, offset, PAGE_BYTES);
    for (const { text } of page.lines) events += agent.parseLine(text).length;
    peak = Math.max(peak, process.memoryUsage.rss());
    if (page.next === offset) break;
    offset = page.next;
  }
  return { events, peak };
}
