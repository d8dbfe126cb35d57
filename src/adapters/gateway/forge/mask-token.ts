/**
 * Replaces the token in everything that the forge answers, by as many asterisks. A forge, or a proxy in front of it, could
 * repeat the request's headers in an error page.
 */
export interface TokenMask {
  maskText(text: string): string;
  /** Masks a stream. Keeps back the start of a possible token until more arrives. */
  openStream(): MaskedStream;
}

export interface MaskedStream {
  push(chunk: Buffer): Buffer;
  end(): Buffer;
}

export function createTokenMask(values: readonly string[]): TokenMask {
  const needles = values.map((value) => Buffer.from(value));
  return {
    maskText: (text) => values.reduce((masked, value) => masked.replaceAll(value, "*".repeat(value.length)), text),
    openStream() {
      let kept = Buffer.alloc(0);
      return {
        push(chunk) {
          const bytes = Buffer.concat([kept, chunk]);
          for (const needle of needles) maskAll(bytes, needle);
          const end = bytes.length - Math.max(0, ...needles.map((needle) => overlap(bytes, needle)));
          kept = bytes.subarray(end);
          return bytes.subarray(0, end);
        },
        end: () => kept,
      };
    },
  };
}

function maskAll(bytes: Buffer, needle: Buffer): void {
  for (let at = bytes.indexOf(needle); at !== -1; at = bytes.indexOf(needle, at))
    bytes.fill("*", at, at + needle.length);
}

/** How many of the last bytes are the start of the needle. */
function overlap(bytes: Buffer, needle: Buffer): number {
  const longest = Math.min(bytes.length, needle.length - 1);
  for (let length = longest; length > 0; length--)
    if (bytes.compare(needle, 0, length, bytes.length - length) === 0) return length;
  return 0;
}
