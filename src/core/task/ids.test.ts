import fc from "fast-check";
import { expect, it } from "vitest";
import { ID_ALPHABET, makeId, shortenId } from "./ids.ts";

it("makeId: an id is a prefix and ten characters", () => {
  expect(
    makeId(
      "task",
      Uint8Array.from({ length: 10 }, (_, index) => index),
    ),
  ).toBe("task_0123456789");
  expect(makeId("run", new Uint8Array(12).fill(255))).toBe("run_zzzzzzzzzz");
});

it("makeId: uses no characters that are easily confused", () => {
  expect(new Set(ID_ALPHABET).size).toBe(32);
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 10, maxLength: 20 }), (bytes) => {
      expect(makeId("run", bytes)).toMatch(/^run_[0-9a-hjkmnp-tv-z]{10}$/);
    }),
  );
});

it("makeId: rejects too few random bytes", () => {
  expect(() => makeId("task", new Uint8Array(9))).toThrow("an id needs 10 random bytes, got 9");
});

it("shortenId: has at least six characters after the kind, and more if a neighbour shares them", () => {
  expect(shortenId("task_3k9x2f7m1q", [null, null])).toBe("task_3k9x2f");
  expect(shortenId("task_3k9x2f7m1q", ["task_3k9x200000", "task_3k9x2f7zzz"])).toBe("task_3k9x2f7m");
  expect(shortenId("run_3k9x2f7m1q", ["run_3k9x2f7m1p", null])).toBe("run_3k9x2f7m1q");
});

it("shortenId: no two ids get prefixes that match each other's id", () => {
  const id = fc.string({ unit: fc.constantFrom("0", "1"), minLength: 10, maxLength: 10 }).map((text) => `task_${text}`);
  fc.assert(
    fc.property(fc.uniqueArray(id, { minLength: 1, maxLength: 40 }), (unsorted) => {
      const ids = unsorted.toSorted();
      for (const [index, each] of ids.entries()) {
        const short = shortenId(each, [ids[index - 1] ?? null, ids[index + 1] ?? null]);
        expect(ids.filter((other) => other.startsWith(short))).toEqual([each]);
      }
    }),
  );
});
