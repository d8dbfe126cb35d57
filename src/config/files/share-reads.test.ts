import { describe, expect, it } from "vitest";
import { shareReads } from "./share-reads.ts";

describe("shareReads", () => {
  it("answers calls during a read together with one later read, which sees what changed before the calls", async () => {
    let content = "old";
    let reads = 0;
    const first = Promise.withResolvers<void>();
    const read = shareReads(async (_name: string) => {
      reads += 1;
      const found = content;
      if (reads === 1) await first.promise;
      return found;
    });
    const before = read("shop");
    content = "new";
    const after = [read("shop"), read("shop"), read("shop")];
    first.resolve();
    expect(await before).toBe("old");
    expect(await Promise.all(after)).toEqual(["new", "new", "new"]);
    expect(reads).toBe(2);
    content = "newest";
    expect(await read("shop")).toBe("newest");
  });

  it("reads separately for different arguments, and again after a failed read", async () => {
    const calls: string[] = [];
    const read = shareReads(async (name: string) => {
      calls.push(name);
      if (calls.length === 1) throw new Error("broken");
      return name;
    });
    const results = await Promise.allSettled([read("shop"), read("shop"), read("api")]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
    expect(calls.toSorted()).toEqual(["api", "shop", "shop"]);
  });
});
