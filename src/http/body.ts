import type { Issue } from "../core/text/errors.ts";
import { RequestError } from "./problem.ts";

export const MAX_BODY = 2 * 1024 * 1024;

/** The body's text: JSON by its own account, at most two megabytes, UTF-8. Empty where there is none. */
export async function readBody(request: Request): Promise<string> {
  const bytes = await readBytes(request);
  if (bytes.length === 0) return "";
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(type)) {
    throw new RequestError(415, `The body is ${type === "" ? "of no stated type" : `"${type}"`}; only JSON is read.`, {
      hint: "Send `Content-Type: application/json`.",
    });
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new RequestError(400, "The body is not valid UTF-8.");
  }
}

/** An empty body counts as `{}`, so that a request without options needs none. */
export function parseJson(text: string): unknown {
  if (text === "") return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new RequestError(400, `The body is not JSON: ${message}.`, { issues: [placeOf(message, text)] });
  }
}

/** As they came, at most two megabytes. Rejects when `signal` aborts before all of them are here. */
export async function readBytes(request: Request, signal: AbortSignal | null = null): Promise<Buffer> {
  if (Number(request.headers.get("content-length") ?? 0) > MAX_BODY) throw tooLarge();
  if (request.body === null) return Buffer.alloc(0);
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body.getReader();
  // Ends the read that waits, so that what came is let go of at once.
  const stop = (): void => void reader.cancel().catch(() => undefined);
  signal?.addEventListener("abort", stop);
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      size += next.value.length;
      if (size > MAX_BODY) throw tooLarge();
      chunks.push(next.value);
    }
    signal?.throwIfAborted();
  } finally {
    signal?.removeEventListener("abort", stop);
    stop();
  }
  return Buffer.concat(chunks);
}

function tooLarge(): RequestError {
  return new RequestError(413, "The body is larger than 2 MB, which is the limit.");
}

/** The parser names a position for some mistakes; of the others it shows the place in its message. */
function placeOf(message: string, text: string): Issue {
  const named = /at position (\d+)/.exec(message)?.[1];
  const position = named === undefined ? (message.includes("end of JSON") ? text.length : null) : Number(named);
  if (position === null) return { file: null, line: null, column: null, key: "", message };
  const before = text.slice(0, position).split("\n");
  return { file: null, line: before.length, column: (before.at(-1)?.length ?? 0) + 1, key: "", message };
}
