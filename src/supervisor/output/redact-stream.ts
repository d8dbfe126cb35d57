import { createSecretMatcher, LOOK_BEHIND, type SecretMatcher } from "../../policy/secrets/match-secrets.ts";
import { placeholder } from "../../policy/secrets/redact.ts";
import type { Secret } from "../../policy/secrets/secret-forms.ts";

/** Redacts secrets in a stream of chunks, even if a secret is split across chunks. */
export interface RedactStream {
  /** Returns the redacted bytes that cannot be part of a secret any more. */
  push(chunk: Buffer): Buffer;
  /** Returns the remaining bytes at the end of the stream. */
  rest(): Buffer;
}

/** Returns a factory. A job creates it once, and each stream of each command gets its own redaction. */
export function createRedactStreams(secrets: readonly Secret[]): () => RedactStream {
  const matcher = createSecretMatcher(secrets, "bytes");
  return () => createRedactStream(matcher);
}

/** With more held bytes, most of them are invisible characters inside a possible secret. They are dropped. */
const MAX_HELD = 65_536;

/**
 * Holds back only a suffix that could be the start of a secret. It is shorter than the longest secret and nearly always
 * empty. Binary data passes unchanged.
 */
function createRedactStream(matcher: SecretMatcher): RedactStream {
  // The last released bytes before redaction. They are the context for the start of the held bytes.
  let past = "";
  let held = "";
  // Number of held bytes that belong to a secret that was already replaced. Another secret may overlap them.
  let covered = 0;

  function release(text: string, end: number): Buffer {
    const parts: string[] = [];
    let at = past.length + covered;
    for (const span of matcher.find(text)) {
      if (span.start >= end) break;
      if (span.end <= at) continue;
      const isNew = span.start >= at || (covered === 0 && at === past.length);
      if (isNew) parts.push(text.slice(at, span.start), placeholder(span.name));
      at = span.end;
    }
    if (at < end) parts.push(text.slice(at, end));
    past = text.slice(Math.max(0, end - LOOK_BEHIND), end);
    held = text.slice(end);
    covered = Math.max(0, at - end);
    if (held.length > MAX_HELD) held = held.slice(0, covered) + matcher.compact(held.slice(covered));
    return Buffer.from(parts.join(""), "latin1");
  }

  return {
    push(chunk) {
      const text = past + held + chunk.toString("latin1");
      return release(text, Math.max(past.length, matcher.undecidedFrom(text)));
    },
    rest: () => release(past + held, past.length + held.length),
  };
}
