import fc from "fast-check";
import { expect, it } from "vitest";
import { ID_ALPHABET, makeId } from "./ids.ts";

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
