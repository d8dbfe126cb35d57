import { Transform } from "node:stream";
import { createLineRegions } from "./line-regions.ts";
import { objectIn, parseJson } from "./json.ts";

const MAX_LINE = 8 * 1024 * 1024;

/**
 * Takes the chunk out of a stream of chat completions that only tells the usage. Clients that have not asked for it reach
 * for the first choice of every chunk, and this one has none.
 */
export function createUsageDropper(): Transform {
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

  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      lines.push(chunk, (region) => this.push(filter(region)));
      done();
    },
    flush(done) {
      this.push(filter(lines.rest()));
      done();
    },
  });
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
