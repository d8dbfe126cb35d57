import { expect, test } from "vitest";
import type { Denial } from "../../ports/sandbox.ts";
import { createDenials } from "./denials.ts";

const denial = (target: string): Denial => ({ kind: "network", target, sentence: `denied: ${target}` });

test("denials: a repeated target is counted, and is new only once", () => {
  const denials = createDenials();
  expect(["a:443", "b:443", "a:443"].map((target) => denials.add(denial(target), false))).toEqual([true, true, false]);
  expect(denials.list()).toEqual([
    { ...denial("a:443"), count: 2 },
    { ...denial("b:443"), count: 1 },
  ]);
});

test("denials: an agent cannot make the record large with many targets or with long ones", () => {
  const denials = createDenials();
  const added = Array.from({ length: 200 }, (_, n) => denials.add(denial(`${n} ${"x".repeat(60_000)}`), false));
  expect(added.filter(Boolean)).toHaveLength(100);
  expect(JSON.stringify(denials.list()).length).toBeLessThan(200_000);
});

test("denials: a flood of other targets cannot hide the denial of a granted one, nor the other way round", () => {
  const denials = createDenials();
  for (let n = 0; n < 200; n++) denials.add(denial(`${n}:443`), false);
  expect(denials.add(denial("promised:443"), true)).toBe(true);
  for (let n = 0; n < 200; n++) denials.add(denial(`${n}.promised:443`), true);
  const targets = denials.list().map(({ target }) => target);
  expect(targets).toContain("promised:443");
  expect(targets).toHaveLength(200);
});
