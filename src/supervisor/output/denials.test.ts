import { expect, test } from "vitest";
import type { Denial } from "../../ports/sandbox.ts";
import { createDenials } from "./denials.ts";

const denial = (target: string): Denial => ({ kind: "network", target, sentence: `denied: ${target}` });

test("denials: a repeated target is counted, and is new only once", () => {
  const denials = createDenials();
  expect([denials.add(denial("a:443")), denials.add(denial("b:443")), denials.add(denial("a:443"))]).toEqual([
    true,
    true,
    false,
  ]);
  expect(denials.list()).toEqual([
    { ...denial("a:443"), count: 2 },
    { ...denial("b:443"), count: 1 },
  ]);
});

test("denials: an agent cannot make the record large with many targets or with long ones", () => {
  const denials = createDenials();
  const added = Array.from({ length: 200 }, (_, n) => denials.add(denial(`${n} ${"x".repeat(60_000)}`)));
  expect(added.filter(Boolean)).toHaveLength(100);
  expect(JSON.stringify(denials.list()).length).toBeLessThan(200_000);
});
