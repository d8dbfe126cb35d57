import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { StringDecoder } from "node:string_decoder";

/** One line of the daemon's log. Lines that are not JSON, such as one cut off by a power cut, are kept as their text. */
export interface LogEntry {
  readonly time: string;
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

const DAY_FILE = /^\d{4}-\d{2}-\d{2}\.jsonl$/;
const CHUNK_BYTES = 256_000;

/** Reads the log of a folder file by file, and later only what was added. Files are named by the day in UTC. */
export class LogReader {
  private readonly dir: string;
  private readonly since: number;
  private readonly tails = new Map<string, Tail>();

  constructor(dir: string, since: number) {
    this.dir = dir;
    this.since = since;
  }

  /** The entries since the last call, oldest first. */
  *read(): Generator<LogEntry> {
    for (const name of this.listFiles()) {
      const tail = this.tails.get(name) ?? new Tail(join(this.dir, name));
      this.tails.set(name, tail);
      for (const line of tail.read()) {
        const entry = parseLine(line);
        // An unreadable line has no time, so it is shown with the lines around it.
        if (entry !== null && (entry.time === "" || Date.parse(entry.time) >= this.since)) yield entry;
      }
    }
  }

  private listFiles(): readonly string[] {
    const first = `${new Date(this.since).toISOString().slice(0, 10)}.jsonl`;
    try {
      return readdirSync(this.dir)
        .filter((name) => DAY_FILE.test(name) && name >= first)
        .toSorted();
    } catch (error) {
      // The daemon has never been started.
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
      throw error;
    }
  }
}

/** Reads the complete lines that were appended to a file since the last call. */
class Tail {
  private readonly file: string;
  private readonly decoder = new StringDecoder("utf8");
  private readonly buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  private offset = 0;
  private rest = "";

  constructor(file: string) {
    this.file = file;
  }

  *read(): Generator<string> {
    const handle = openSync(this.file, "r");
    try {
      for (let length = -1; length !== 0;) {
        length = readSync(handle, this.buffer, 0, CHUNK_BYTES, this.offset);
        this.offset += length;
        const lines = (this.rest + this.decoder.write(this.buffer.subarray(0, length))).split("\n");
        this.rest = lines.pop() ?? "";
        yield* lines;
      }
    } finally {
      closeSync(handle);
    }
  }
}

function parseLine(line: string): LogEntry | null {
  if (line.trim() === "") return null;
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null) {
      const { time, level, msg } = value as Readonly<Record<string, unknown>>;
      return { ...value, time: textOf(time), level: textOf(level), msg: textOf(msg) };
    }
  } catch {
    // Shown as it is.
  }
  return { time: "", level: "unreadable", msg: line };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
