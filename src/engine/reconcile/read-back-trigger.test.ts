import { expect, it } from "vitest";
import { createFakeClock } from "../../testing/fake-clock.ts";
import { createReadBackTrigger } from "./read-back-trigger.ts";

/** Read-backs that run until `end()`, with a fake clock. */
function world() {
  const clock = createFakeClock();
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const calls: { readonly projects: readonly string[]; readonly end: () => void }[] = [];
  const trigger = createReadBackTrigger({ clock, log }, async (projects) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    calls.push({ projects: [...projects], end: resolve });
    await promise;
  });
  const end = async () => {
    calls.at(-1)?.end();
    await clock.advance(0);
  };
  return { trigger, clock, end, projects: () => calls.map(({ projects }) => projects.join()) };
}

it("read-back trigger: reads back at once; any number of requests meanwhile cause one more, after a pause", async () => {
  const { trigger, clock, end, projects } = world();
  trigger.startIfDue();
  expect(projects()).toEqual([]);
  trigger.request("shop");
  expect(projects()).toEqual(["shop"]);
  for (let call = 0; call < 1_000; call++) trigger.request(call % 2 === 0 ? "shop" : "blog");
  await end();
  for (let call = 0; call < 1_000; call++) trigger.request("shop");
  trigger.startIfDue();
  expect(projects()).toEqual(["shop"]);
  await clock.advance(5_000);
  trigger.startIfDue();
  expect(projects()).toEqual(["shop", "shop,blog"]);
  await end();
  await clock.advance(5_000);
  trigger.startIfDue();
  expect(projects()).toHaveLength(2);
});

it("read-back trigger: stop waits for the current read-back and starts no other", async () => {
  const { trigger, clock, end, projects } = world();
  trigger.request("shop");
  const stopped = trigger.stop();
  await end();
  await stopped;
  await clock.advance(60_000);
  trigger.request("shop");
  expect(projects()).toEqual(["shop"]);
});
