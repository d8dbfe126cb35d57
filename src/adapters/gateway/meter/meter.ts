import { NO_TOKENS } from "../../../core/task/run.ts";
import type { Tokens } from "../../../core/task/run.ts";
import { BYTES_PER_TOKEN } from "./estimate-input.ts";
import { parseJson } from "./json.ts";
import { createLineRegions } from "./line-regions.ts";
import type { Shape } from "../routes.ts";
import { NOTHING_KNOWN, readUsage } from "./usage-shapes.ts";

/** Counts one answer as it passes. */
export interface Meter {
  /** It is only lent. */
  push(chunk: Buffer): void;
  /** What it has come to by now: said by the answer itself, or guessed where it has not said it yet. */
  soFar(): Metered;
  /** Nothing more comes. */
  end(): Metered;
}

export interface Metered {
  readonly tokens: Tokens;
  readonly model: string | null;
  readonly isEstimated: boolean;
}

interface MeterParams {
  readonly shape: Shape;
  /** Server-sent events; otherwise one JSON text. */
  readonly isStream: boolean;
  /** Guessed from the request, until the answer says what it was. */
  readonly inputTokens: number;
}

const MAX_LINE = 8 * 1024 * 1024;
const MAX_WHOLE = 32 * 1024 * 1024;
/** As much of a stream is read for its text; the rest is taken to be like it, which costs nothing. */
const SAMPLE_BYTES = 256 * 1024;
const SPACE = 32;
const BRACE = 123;

export function createMeter({ shape, isStream, inputTokens }: MeterParams): Meter {
  const lines = createLineRegions(MAX_LINE);
  // Without the quote in front: JSON is full of them, and the search stops at every letter that could be the first.
  const needle = shape === "gemini" ? 'usageMetadata":' : 'usage":';
  const whole: Buffer[] = [];
  let known = NOTHING_KNOWN;
  let bytes = 0;
  let sampled = 0;
  let text = 0;

  /** Few lines say anything of usage: the search runs over bytes, and only those lines are parsed. */
  function findUsage(region: Buffer): void {
    for (let at = region.indexOf(needle); at >= 0;) {
      const start = region.lastIndexOf(10, at) + 1;
      const newline = region.indexOf(10, at);
      const end = newline < 0 ? region.length : newline;
      if (opensObject(region, at + needle.length)) {
        const line = region.toString("utf8", start, end).replace(/^data:/, "");
        known = readUsage(shape, parseJson(line), known);
      }
      at = region.indexOf(needle, end);
    }
  }

  function sample(region: Buffer): void {
    sampled += region.length;
    for (const [, said = ""] of region.toString("latin1").matchAll(SAID[shape])) text += said.length;
  }

  function take(region: Buffer): void {
    findUsage(region);
    if (sampled < SAMPLE_BYTES) sample(region);
  }

  function soFar(): Metered {
    if (known.isFinal && known.tokens !== null) return { tokens: known.tokens, model: known.model, isEstimated: false };
    const saidBytes = sampled === 0 ? 0 : text * Math.max(1, bytes / sampled);
    const output = Math.max(known.tokens?.output ?? 0, Math.ceil(saidBytes / BYTES_PER_TOKEN));
    const input = known.tokens ?? { ...NO_TOKENS, input: inputTokens };
    return { tokens: { ...input, output }, model: known.model, isEstimated: true };
  }

  return {
    push(chunk) {
      bytes += chunk.length;
      if (isStream) lines.push(chunk, take);
      else if (bytes <= MAX_WHOLE) whole.push(Buffer.from(chunk));
    },
    soFar,
    end() {
      if (isStream) take(lines.rest());
      else if (bytes <= MAX_WHOLE) {
        const answer = Buffer.concat(whole);
        known = readUsage(shape, parseJson(answer.toString("utf8")), known);
        if (!known.isFinal) sample(answer);
      } else text = sampled = bytes;
      return soFar();
    },
  };
}

/** `"usage": null` stands in every chunk of some streams. */
function opensObject(region: Buffer, at: number): boolean {
  let next = at;
  while (region[next] === SPACE) next++;
  return region[next] === BRACE;
}

/** Where the words of a model stand in its stream, each only once. */
const SAID: Readonly<Record<Shape, RegExp>> = {
  anthropic: words("text|thinking|partial_json"),
  responses: words("delta"),
  chat: words("content|reasoning_content|refusal|arguments"),
  gemini: words("text"),
};

function words(keys: string): RegExp {
  return new RegExp(String.raw`"(?:${keys})":\s?"((?:[^"\\]|\\.)*)"`, "g");
}
