import { createSecretMatcher, LOOK_BEHIND, type SecretMatcher } from "../../policy/secrets/match-secrets.ts";
import { placeholder } from "../../policy/secrets/redact.ts";
import type { Secret } from "../../policy/secrets/secret-forms.ts";

/** Takes secrets out of bytes that come in chunks, wherever the chunks are cut. */
export interface RedactStream {
  /** What can be let go of by now. */
  push(chunk: Buffer): Buffer;
  /** What was held back, at the end. */
  rest(): Buffer;
}

/** Made once for a job; each stream of each command gets one of its own. */
export function createRedactStreams(secrets: readonly Secret[]): () => RedactStream {
  const matcher = createSecretMatcher(secrets, "bytes");
  return () => createRedactStream(matcher);
}

/**
 * Holds back only an end that could be the beginning of a secret: shorter than the longest form of one, and nearly always
 * nothing at all. Bytes that are no text pass as they are.
 */
function createRedactStream(matcher: SecretMatcher): RedactStream {
  // What was let go of last, as it came: it decides how the beginning of what is held reads.
  let past = "";
  let held = "";
  // How much of what is held belongs to a secret that was replaced already and that another one may overlap.
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
