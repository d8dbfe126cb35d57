import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import type { Redactor } from "../policy/secrets/redact.ts";
import type { Log } from "../ports/log.ts";

export interface LoggerOptions {
  readonly dir: string;
  /** Also to this terminal, when somebody runs the daemon in the foreground. */
  readonly echo: ((line: string) => void) | null;
  readonly redactor: () => Redactor;
}

/** JSON lines, a file a day. Writing is synchronous: the lines before a crash are the ones that matter. */
export function createLogger({ dir, echo, redactor }: LoggerOptions): Log {
  const sink = {
    write(written: string): void {
      const line = withoutSecrets(redactor(), written);
      try {
        appendFileSync(join(dir, `${new Date().toISOString().slice(0, 10)}.jsonl`), line, { mode: 0o600 });
      } catch {
        // A log that cannot be written (disk full) must not end the daemon; the terminal still gets the line.
      }
      echo?.(line);
    },
  };
  const logger = pino(
    { base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: (label) => ({ level: label }) } },
    sink,
  );
  return {
    info: (message, fields = {}) => logger.info(fields, message),
    warn: (message, fields = {}) => logger.warn(fields, message),
    error: (message, fields = {}) => logger.error(fields, message),
  };
}

/** Parsed again where there is one, so that it stays a line of JSON whatever the secret is made of. */
function withoutSecrets({ redact, redactValue }: Redactor, line: string): string {
  if (redact(line) === line) return line;
  return `${JSON.stringify(redactValue<unknown>(JSON.parse(line)))}\n`;
}
