import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import type { Notifier } from "../../../ports/notifier.ts";
import type { Notice } from "../../../ports/store.ts";

/** A notice is retried for a day at most, so a duplicate is among the last lines. */
const DUPLICATE_CHECK_BYTES = 1_000_000;
const MAX_REASON_LENGTH = 4_000;

type Handle = Awaited<ReturnType<typeof open>>;

/** Appends one JSON line per night to a file. */
export function createRunLog(file: string): Notifier {
  // Several projects may finish at the same time, so writes are serialized.
  let lastWrite: Promise<void> = Promise.resolve();
  return {
    async send(notice) {
      const write = lastWrite.then(() => append(file, notice));
      lastWrite = write.catch(() => undefined);
      await write;
    },
  };
}

async function append(file: string, notice: Notice): Promise<void> {
  const handle = await openForAppend(file);
  try {
    const { lines, end } = await readLastLines(handle);
    const line = toLine(notice);
    if (lines.includes(line)) return;
    // Removes an incomplete line left by a crash.
    await handle.truncate(end);
    await handle.write(`${line}\n`, end);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function openForAppend(file: string): Promise<Handle> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  // `r+` does not create the file, and `a+` ignores the write position.
  await (await open(file, "a", 0o600)).close();
  return open(file, "r+");
}

/** Also returns the position where the last complete line ends. */
async function readLastLines(handle: Handle): Promise<{ readonly lines: readonly string[]; readonly end: number }> {
  const { size } = await handle.stat();
  const start = Math.max(0, size - DUPLICATE_CHECK_BYTES);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, size - start, start);
  const length = buffer.subarray(0, bytesRead).lastIndexOf("\n") + 1;
  if (length === 0 && start > 0)
    throw new Error("the last line of nights.jsonl has no line break; move the file away to start a new one");
  return { lines: buffer.subarray(0, length).toString().split("\n"), end: start + length };
}

function toLine({ at, project, task, data }: Notice): string {
  return JSON.stringify({
    date: new Date(at).toISOString(),
    project,
    task,
    category: data.category,
    outcome: data.outcome,
    url: data.url,
    cost_usd: data.costUsd,
    duration_ms: data.durationMs,
    reason: data.reason?.slice(0, MAX_REASON_LENGTH) ?? null,
  });
}
