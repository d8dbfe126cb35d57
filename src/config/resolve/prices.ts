import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import type { z } from "zod";
import type { PriceTable } from "../../core/money/prices.ts";
import { prices } from "../schema/schema-sections.ts";

type WrittenPrices = z.infer<typeof prices>;

/** The shipped table, with what the user wrote over it. */
export async function readPrices(builtinDir: string, own: WrittenPrices = {}): Promise<PriceTable> {
  const shipped = prices.parse(parse(await readFile(join(builtinDir, "prices.yaml"), "utf8")));
  const entries = Object.entries({ ...shipped, ...own }).map(([model, { input, output, cache_read, cache_write }]) => [
    model,
    // Where nothing is said about the cache, its use costs what tokens cost.
    { input, output, cacheRead: cache_read ?? input, cacheWrite: cache_write ?? input },
  ]);
  return Object.fromEntries(entries) as PriceTable; // one price for each entry
}
