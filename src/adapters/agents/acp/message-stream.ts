import type { Readable, Writable } from "node:stream";
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";

/** Larger than any reasonable message, and small enough to keep in memory. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;
const MAX_SHOWN_CHARS = 2_000;

interface Pipes {
  readonly from: Readable;
  readonly to: Writable;
  /** Called for lines that are no message: some programs print warnings to stdout. */
  readonly onOther: (line: string) => void;
}

/** Opens a message stream on the agent's pipes. Other lines and oversized messages are passed to `onOther`. */
export function openMessageStream({ from, to, onOther }: Pipes): Stream {
  // Writing fails when the agent has ended, which is handled elsewhere.
  to.on("error", () => {});
  return {
    readable: new ReadableStream<AnyMessage>({
      start: (controller) => {
        const lines = createLines((line) => {
          const message = line === null ? null : parseMessage(line);
          if (message !== null) controller.enqueue(message);
          else onOther(line === null ? "(skipped a message of more than 32 MB)" : line.slice(0, MAX_SHOWN_CHARS));
        });
        from.on("data", (chunk: Buffer) => lines.push(chunk));
        from.once("end", () => {
          lines.end();
          controller.close();
        });
        from.once("error", (error) => controller.error(error));
      },
    }),
    writable: new WritableStream<AnyMessage>({
      write: (message) =>
        new Promise((done) => {
          to.write(`${JSON.stringify(message)}\n`, () => done());
        }),
    }),
  };
}

interface Lines {
  push(chunk: Buffer): void;
  end(): void;
}

/** Calls back with each line, or with null for a line that is too long. */
function createLines(onLine: (line: string | null) => void): Lines {
  let parts: Buffer[] = [];
  let bytes = 0;
  const add = (part: Buffer) => {
    bytes += part.length;
    if (bytes <= MAX_MESSAGE_BYTES) parts.push(part);
    else parts = [];
  };
  const finish = () => {
    const text = Buffer.concat(parts).toString("utf8").trim();
    if (bytes > MAX_MESSAGE_BYTES) onLine(null);
    else if (text !== "") onLine(text);
    parts = [];
    bytes = 0;
  };
  return {
    end: finish,
    push: (chunk) => {
      let start = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
        add(chunk.subarray(start, end));
        finish();
        start = end + 1;
      }
      add(chunk.subarray(start));
    },
  };
}

function parseMessage(line: string): AnyMessage | null {
  if (!line.startsWith("{")) return null;
  try {
    const value: unknown = JSON.parse(line);
    const isMessage = typeof value === "object" && value !== null && "jsonrpc" in value;
    return isMessage ? (value as AnyMessage) : null; // the SDK validates it
  } catch {
    return null;
  }
}
