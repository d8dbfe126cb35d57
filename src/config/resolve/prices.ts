import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import type { z } from "zod";
import type { PriceTable } from "../../core/money/prices.ts";
import { prices } from "../schema/schema-sections.ts";

type WrittenPrices = z.infer<typeof prices>;

/** Reads the built-in prices, overridden by the user's. */
export async function readPrices(builtinDir: string, own: WrittenPrices = {}): Promise<PriceTable> {
  const shipped = prices.parse(parse(await readFile(join(builtinDir, "prices.yaml"), "utf8")));
  const entries = Object.entries({ ...shipped, ...own }).map(([model, { input, output, cache_read, cache_write }]) => [
    model,
    // Without cache prices, cached tokens cost as much as input tokens.
    { input, output, cacheRead: cache_read ?? input, cacheWrite: cache_write ?? input },
  ]);
  return Object.fromEntries(entries) as PriceTable; // one price for each entry
}
