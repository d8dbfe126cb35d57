import { NO_TOKENS } from "../../../core/task/run.ts";
import type { Tokens } from "../../../core/task/run.ts";
import { BYTES_PER_TOKEN } from "./estimate-input.ts";
import { parseJson } from "./json.ts";
import { createLineRegions } from "./line-regions.ts";
import type { Shape } from "../routes.ts";
import { NO_USAGE, readUsage } from "./usage-shapes.ts";

/** Counts the tokens of one answer while it is streamed. */
export interface Meter {
  /** Does not keep a reference to the chunk. */
  push(chunk: Buffer): void;
  /** The usage so far: reported by the answer, or estimated until it is. */
  soFar(): MeteredUsage;
  /** Call after the last chunk. */
  end(): MeteredUsage;
}

export interface MeteredUsage {
  readonly tokens: Tokens;
  readonly model: string | null;
  readonly isEstimated: boolean;
}

interface MeterParams {
  readonly shape: Shape;
  /** Server-sent events. Otherwise the answer is a single JSON text. */
  readonly isStream: boolean;
  /** Estimated from the request, until the answer reports it. */
  readonly inputTokens: number;
}

const MAX_LINE_BYTES = 8 * 1024 * 1024;
const MAX_BODY_BYTES = 32 * 1024 * 1024;
/** Only this much of a stream is searched for text. The rest is extrapolated, to save time. */
const SAMPLE_BYTES = 256 * 1024;
const SPACE = 32;
const BRACE = 123;

export function createMeter({ shape, isStream, inputTokens }: MeterParams): Meter {
  const lines = createLineRegions(MAX_LINE_BYTES);
  // Without the leading quote: JSON is full of quotes, and the search would stop at each.
  const needle = shape === "gemini" ? 'usageMetadata":' : 'usage":';
  const chunks: Buffer[] = [];
  let known = NO_USAGE;
  let bytes = 0;
  let sampled = 0;
  let textBytes = 0;

  /** Searches the bytes, so that only the few lines with usage are parsed. */
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
    for (const [, output = ""] of region.toString("latin1").matchAll(OUTPUT_TEXT[shape])) textBytes += output.length;
  }

  function take(region: Buffer): void {
    findUsage(region);
    if (sampled < SAMPLE_BYTES) sample(region);
  }

  function soFar(): MeteredUsage {
    if (known.isFinal && known.tokens !== null) return { tokens: known.tokens, model: known.model, isEstimated: false };
    const outputBytes = sampled === 0 ? 0 : textBytes * Math.max(1, bytes / sampled);
    const output = Math.max(known.tokens?.output ?? 0, Math.ceil(outputBytes / BYTES_PER_TOKEN));
    const input = known.tokens ?? { ...NO_TOKENS, input: inputTokens };
    return { tokens: { ...input, output }, model: known.model, isEstimated: true };
  }

  return {
    push(chunk) {
      bytes += chunk.length;
      if (isStream) lines.push(chunk, take);
      else if (bytes <= MAX_BODY_BYTES) chunks.push(Buffer.from(chunk));
    },
    soFar,
    end() {
      if (isStream) take(lines.rest());
      else if (bytes <= MAX_BODY_BYTES) {
        const answer = Buffer.concat(chunks);
        known = readUsage(shape, parseJson(answer.toString("utf8")), known);
        if (!known.isFinal) sample(answer);
      } else textBytes = sampled = bytes;
      return soFar();
    },
  };
}

/** Some streams have `"usage": null` in every chunk. */
function opensObject(region: Buffer, at: number): boolean {
  let next = at;
  while (region[next] === SPACE) next++;
  return region[next] === BRACE;
}

/** Matches each text of the model's output once. */
const OUTPUT_TEXT: Readonly<Record<Shape, RegExp>> = {
  anthropic: textPattern("text|thinking|partial_json"),
  responses: textPattern("delta"),
  chat: textPattern("content|reasoning_content|refusal|arguments"),
  gemini: textPattern("text"),
};

function textPattern(keys: string): RegExp {
  return new RegExp(String.raw`"(?:${keys})":\s?"((?:[^"\\]|\\.)*)"`, "g");
}
