import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { OutcomeFile } from "../../ports/run-files.ts";
import { parseOutcome } from "./parse-outcome.ts";

const MAX_BYTES = 1024 * 1024;

/**
 * Reads what an agent wrote, as if it were out to harm us: a link would show us any file of the machine, a pipe would
 * make us wait for ever, a huge or endless file would fill our memory.
 */
export async function readOutcomeFile(runDir: string, outcomeFile: string): Promise<OutcomeFile> {
  const folder = join(await realpath(runDir).catch(() => runDir), basename(dirname(outcomeFile)));
  const found = await realpath(dirname(outcomeFile)).catch(() => null);
  if (found === null) return { kind: "missing" };
  if (found !== folder)
    return invalid("The directory of the outcome file was replaced by a link: nothing in it is read.");
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  let handle: FileHandle;
  try {
    handle = await open(outcomeFile, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    return explainOpen(error);
  }
  try {
    return await readRegular(handle);
  } finally {
    await handle.close();
  }
}

async function readRegular(handle: FileHandle): Promise<OutcomeFile> {
  const stats = await handle.stat();
  if (!stats.isFile()) return invalid("The outcome file is not a regular file. Write a plain file with a JSON object.");
  if (stats.nlink !== 1) return invalid("The outcome file is a hard link to another file. Write a new plain file.");
  // One byte more than allowed: the file may grow while it is read.
  const buffer = Buffer.alloc(Math.min(stats.size, MAX_BYTES) + 1);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  if (length > MAX_BYTES || stats.size > MAX_BYTES) {
    return invalid(`The outcome file is larger than ${MAX_BYTES} bytes. Report only what was asked for.`);
  }
  return parseOutcome(buffer.subarray(0, length));
}

function explainOpen(error: unknown): OutcomeFile {
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (code === "ENOENT") return { kind: "missing" };
  if (code === "ELOOP") return invalid("The outcome file is a symbolic link. Write a plain file with a JSON object.");
  return invalid(
    `The outcome file could not be opened (${String(code)}). Write a plain, readable file with a JSON object.`,
  );
}

function invalid(problem: string): OutcomeFile {
  return { kind: "invalid", problem };
}
