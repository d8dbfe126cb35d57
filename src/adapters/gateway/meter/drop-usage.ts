import { createLineRegions } from "./line-regions.ts";
import { objectIn, parseJson } from "./json.ts";

export interface UsageDropper {
  /** What of it goes on; the beginning of a line waits for its end. */
  push(chunk: Buffer): Buffer;
  end(): Buffer;
}

const MAX_LINE = 8 * 1024 * 1024;

/**
 * Takes the chunk out of a stream of chat completions that only tells the usage. Clients that have not asked for it reach
 * for the first choice of every chunk, and this one has none.
 */
export function createUsageDropper(): UsageDropper {
  const lines = createLineRegions(MAX_LINE);
  let isAfterDropped = false;

  function keep(line: string): boolean {
    // The empty line that ends the event goes with it.
    if (isAfterDropped && line.trim() === "") return (isAfterDropped = false);
    isAfterDropped = isUsageOnly(line);
    return !isAfterDropped;
  }

  function filter(region: Buffer): Buffer {
    if (!isAfterDropped && !region.includes('"usage"')) return region;
    const kept = region
      .toString("utf8")
      .split(/(?<=\n)/)
      .filter(keep);
    return Buffer.from(kept.join(""));
  }

  return {
    push(chunk) {
      const kept: Buffer[] = [];
      lines.push(chunk, (region) => kept.push(filter(region)));
      return Buffer.concat(kept);
    },
    end: () => filter(lines.rest()),
  };
}

function isUsageOnly(line: string): boolean {
  if (!line.startsWith("data:")) return false;
  const chunk = objectIn(parseJson(line.slice("data:".length)));
  return (
    chunk !== null &&
    Array.isArray(chunk["choices"]) &&
    chunk["choices"].length === 0 &&
    objectIn(chunk, "usage") !== null
  );
}
