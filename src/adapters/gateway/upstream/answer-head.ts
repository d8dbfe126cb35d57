import type { IncomingHttpHeaders } from "node:http";

/** How the end of an answer is found. */
export type Framing =
  | { readonly kind: "none" }
  | { readonly kind: "chunks" }
  | { readonly kind: "length"; readonly bytes: number }
  | { readonly kind: "close" };

export interface AnswerHead {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly framing: Framing;
  /** Whether another request may follow on the same connection. */
  readonly isKept: boolean;
}

/** Upstream's answer is none that can be read in one way only. */
export class UnclearAnswer extends Error {
  override readonly name = "UnclearAnswer";
}

const STATUS = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;
// A name, the colon at its heels, and no line that goes on in the next one.
const FIELD =
  /^([!#$%&'*+.^_`|~\w-]+):[\t ]*((?:[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?)[\t ]*$/;

/** `text` is what stands before the empty line. Whatever could be read in two ways (RFC 9112, 6.3) is refused. */
export function parseHead(text: string): AnswerHead {
  const [first = "", ...lines] = text.split("\r\n");
  const [, minor, digits] = STATUS.exec(first) ?? [];
  if (digits === undefined) throw new UnclearAnswer("its first line is none of HTTP/1.1");
  const status = Number(digits);
  const headers = readFields(lines);
  const framing = framingOf(status, headers);
  const said = new Set((headers.connection ?? "").toLowerCase().split(/[\t ]*,[\t ]*/));
  return { status, headers, framing, isKept: minor === "1" && framing.kind !== "close" && !said.has("close") };
}

function readFields(lines: readonly string[]): IncomingHttpHeaders {
  const fields = new Map<string, string>();
  for (const line of lines) {
    const [, name = "", value = ""] = FIELD.exec(line) ?? [];
    if (name === "") throw new UnclearAnswer("one of its headers is none");
    const key = name.toLowerCase();
    const before = fields.get(key);
    // Also where both say the same: nobody who means well does so.
    if (before !== undefined && (key === "content-length" || key === "transfer-encoding"))
      throw new UnclearAnswer(`it has two headers ${key}`);
    fields.set(key, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(fields);
}

function framingOf(status: number, headers: IncomingHttpHeaders): Framing {
  const coding = headers["transfer-encoding"];
  const length = headers["content-length"];
  if (coding !== undefined && length !== undefined) throw new UnclearAnswer("it has both a length and chunks");
  if (coding !== undefined && coding.toLowerCase() !== "chunked")
    throw new UnclearAnswer(`it is written as ${coding.slice(0, 40)}`);
  if (length !== undefined && !/^\d{1,15}$/.test(length)) throw new UnclearAnswer("its length is no number");
  if (status < 200 || status === 204 || status === 304) return { kind: "none" };
  if (coding !== undefined) return { kind: "chunks" };
  return length === undefined ? { kind: "close" } : { kind: "length", bytes: Number(length) };
}
