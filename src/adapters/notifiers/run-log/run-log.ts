import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import type { Notifier } from "../../../ports/notifier.ts";
import type { Notice } from "../../../ports/store.ts";

/** A notice that is sent again was sent within the last day: it stands among the last lines. */
const LOOK_BACK_BYTES = 1_000_000;
const MAX_REASON = 4_000;

type Handle = Awaited<ReturnType<typeof open>>;

/** One line of JSON for each night, in a file that is only added to. */
export function createRunLog(file: string): Notifier {
  // The nights of several projects may end at once.
  let turn: Promise<void> = Promise.resolve();
  return {
    async send(notice) {
      const mine = turn.then(() => append(file, notice));
      turn = mine.catch(() => undefined);
      await mine;
    },
  };
}

async function append(file: string, notice: Notice): Promise<void> {
  const handle = await openToAdd(file);
  try {
    const { lines, end } = await readLastLines(handle);
    const line = lineOf(notice);
    if (lines.includes(line)) return;
    // What a crash left half written is no line.
    await handle.truncate(end);
    await handle.write(`${line}\n`, end);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function openToAdd(file: string): Promise<Handle> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  // `r+` does not make the file, and `a+` writes at the end whatever stands there.
  await (await open(file, "a", 0o600)).close();
  return open(file, "r+");
}

/** And where the last of them ends. */
async function readLastLines(handle: Handle): Promise<{ readonly lines: readonly string[]; readonly end: number }> {
  const { size } = await handle.stat();
  const start = Math.max(0, size - LOOK_BACK_BYTES);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, size - start, start);
  const length = buffer.subarray(0, bytesRead).lastIndexOf("\n") + 1;
  if (length === 0 && start > 0)
    throw new Error("the last line of nights.jsonl has no end: move the file away, a new one is begun");
  return { lines: buffer.subarray(0, length).toString().split("\n"), end: start + length };
}

function lineOf({ at, project, task, data }: Notice): string {
  return JSON.stringify({
    date: new Date(at).toISOString(),
    project,
    task,
    category: data.category,
    outcome: data.outcome,
    url: data.url,
    cost_usd: data.costUsd,
    duration_ms: data.durationMs,
    reason: data.reason?.slice(0, MAX_REASON) ?? null,
  });
}
