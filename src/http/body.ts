import type { Issue } from "../core/text/errors.ts";
import { RequestError } from "./problem.ts";

export const MAX_BODY = 2 * 1024 * 1024;

/** Reads the body as text. It must be declared as JSON, be valid UTF-8 and have at most 2 MB. Returns "" if there is no body. */
export async function readBody(request: Request): Promise<string> {
  const bytes = await readBytes(request);
  if (bytes.length === 0) return "";
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(type)) {
    throw new RequestError(
      415,
      `The body has ${type === "" ? "no content type" : `the content type "${type}"`}; only JSON is accepted.`,
      {
        hint: 'Send "Content-Type: application/json".',
      },
    );
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new RequestError(400, "The body is not valid UTF-8.");
  }
}

/** Treats an empty body as `{}`, so that a request without options needs no body. */
export function parseJson(text: string): unknown {
  if (text === "") return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new RequestError(400, `The body is not JSON: ${message}.`, { issues: [locateError(message, text)] });
  }
}

/** Reads at most 2 MB of raw bytes. Rejects if `signal` aborts before the body is complete. */
export async function readBytes(request: Request, signal: AbortSignal | null = null): Promise<Buffer> {
  if (Number(request.headers.get("content-length") ?? 0) > MAX_BODY) throw tooLarge();
  if (request.body === null) return Buffer.alloc(0);
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body.getReader();
  // Cancelling ends a pending read and frees the received chunks immediately.
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
  return new RequestError(413, "The body is larger than the limit of 2 MB.");
}

/** Finds the line and column of a syntax error. The parser reports a position only for some errors. */
function locateError(message: string, text: string): Issue {
  const named = /at position (\d+)/.exec(message)?.[1];
  const position = named === undefined ? (message.includes("end of JSON") ? text.length : null) : Number(named);
  if (position === null) return { file: null, line: null, column: null, key: "", message };
  const before = text.slice(0, position).split("\n");
  return { file: null, line: before.length, column: (before.at(-1)?.length ?? 0) + 1, key: "", message };
}
