import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { withoutCredentials } from "../core/text/without-credentials.ts";
import type { Redactor } from "../policy/secrets/redact.ts";
import type { Log } from "../ports/log.ts";

export interface LoggerOptions {
  readonly dir: string;
  /** Also writes lines to the terminal of a daemon that runs in the foreground. */
  readonly echo: ((line: string) => void) | null;
  readonly redactor: () => Redactor;
}

/** Logs JSON lines to one file per day. Writes are synchronous, so that the lines before a crash are not lost. */
export function createLogger({ dir, echo, redactor }: LoggerOptions): Log {
  /** A full disk may have taken only the beginning of the last line. */
  let isTorn = false;
  function write(level: "info" | "warn" | "error", msg: string, fields: Readonly<Record<string, unknown>>): void {
    const time = new Date().toISOString();
    const line = `${withoutSecrets(redactor(), withoutCredentials(toJson({ level, time, ...fields, msg })))}\n`;
    try {
      appendFileSync(join(dir, `${time.slice(0, 10)}.jsonl`), isTorn ? `\n${line}` : line, { mode: 0o600 });
      isTorn = false;
    } catch {
      isTorn = true;
      // A failed write (disk full) must not stop the daemon. The terminal still gets the line.
    }
    echo?.(line);
  }
  return {
    info: (message, fields = {}) => write("info", message, fields),
    warn: (message, fields = {}) => write("warn", message, fields),
    error: (message, fields = {}) => write("error", message, fields),
  };
}

/** A log call must never throw, so fields that JSON cannot represent (cycles, big integers) are left out. */
function toJson(entry: { readonly level: string; readonly time: string; readonly msg: string }): string {
  try {
    return JSON.stringify(entry);
  } catch (error) {
    const { level, time, msg } = entry;
    return JSON.stringify({ level, time, msg, unreadable_fields: String(error) });
  }
}

/** Redacts the parsed values, so that the line stays valid JSON whatever characters a secret contains. */
function withoutSecrets({ redact, redactValue }: Redactor, line: string): string {
  return redact(line) === line ? line : JSON.stringify(redactValue<unknown>(JSON.parse(line)));
}
