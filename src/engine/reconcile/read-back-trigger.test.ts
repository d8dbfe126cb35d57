import { expect, it } from "vitest";
import { createFakeClock } from "../../testing/fake-clock.ts";
import { createReadBackTrigger } from "./read-back-trigger.ts";

/** Looks that last until they are let go, on a clock that stands still. */
function world() {
  const clock = createFakeClock();
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const looks: { readonly projects: readonly string[]; readonly end: () => void }[] = [];
  const lookAgain = createReadBackTrigger({ clock, log }, async (projects) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    looks.push({ projects: [...projects], end: resolve });
    await promise;
  });
  const end = async () => {
    looks.at(-1)?.end();
    await clock.advance(0);
  };
  return { lookAgain, clock, end, seen: () => looks.map(({ projects }) => projects.join()) };
}

it("looks at once; a flood meanwhile owes one more look, after a pause", async () => {
  const { lookAgain, clock, end, seen } = world();
  lookAgain.begin();
  expect(seen()).toEqual([]);
  lookAgain.ask("shop");
  expect(seen()).toEqual(["shop"]);
  for (let call = 0; call < 1_000; call++) lookAgain.ask(call % 2 === 0 ? "shop" : "blog");
  await end();
  for (let call = 0; call < 1_000; call++) lookAgain.ask("shop");
  lookAgain.begin();
  expect(seen()).toEqual(["shop"]);
  await clock.advance(5_000);
  lookAgain.begin();
  expect(seen()).toEqual(["shop", "shop,blog"]);
  await end();
  await clock.advance(5_000);
  lookAgain.begin();
  expect(seen()).toHaveLength(2);
});

it("looks no more once it was stopped, and waits for the look under way", async () => {
  const { lookAgain, clock, end, seen } = world();
  lookAgain.ask("shop");
  const stopped = lookAgain.stop();
  await end();
  await stopped;
  await clock.advance(60_000);
  lookAgain.ask("shop");
  expect(seen()).toEqual(["shop"]);
});
