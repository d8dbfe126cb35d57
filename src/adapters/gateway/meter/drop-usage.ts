import { createLineRegions } from "./line-regions.ts";
import { objectIn, parseJson } from "./json.ts";

export interface UsageDropper {
  /** Returns the data to forward. An incomplete line is buffered. */
  push(chunk: Buffer): Buffer;
  end(): Buffer;
}

const MAX_LINE_BYTES = 8 * 1024 * 1024;

/**
 * Removes the usage-only chunk from a stream of chat completions. Clients that did not request it read the first choice of
 * every chunk, and this one has none.
 */
export function createUsageDropper(): UsageDropper {
  const lines = createLineRegions(MAX_LINE_BYTES);
  let isAfterDropped = false;

  function keep(line: string): boolean {
    // Also drop the empty line that ends the event.
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
