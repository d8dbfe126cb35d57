import { expect, it } from "vitest";
import { createHookBodies } from "./hook-body.ts";

function request(body: string | ReadableStream<Uint8Array>): Request {
  return new Request("http://127.0.0.1/", { method: "POST", body, duplex: "half" });
}

/** Sends a few bytes and then stalls. */
function unfinished() {
  const state = { isCancelled: false };
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(Buffer.from("{")),
    cancel: () => void (state.isCancelled = true),
  });
  return { state, body };
}

it("webhook body: a stalled body times out and frees its slot", async () => {
  const read = createHookBodies(50);
  const slow = Array.from({ length: 8 }, unfinished);
  const late = await Promise.allSettled(slow.map(({ body }) => read(request(body))));
  for (const one of late)
    expect(one).toMatchObject({ reason: { status: 408, message: expect.stringContaining("within 0.05 seconds") } });
  expect(slow.map(({ state }) => state.isCancelled)).toEqual(Array(8).fill(true));
  expect((await createHookBodies()(request("{}"))).toString()).toBe("{}");
  expect(await read(request(""))).toHaveLength(0);
});

it("webhook body: a ninth concurrent body is refused until one of the eight is done", async () => {
  const read = createHookBodies();
  const given = Array.from({ length: 8 }, () => new TransformStream<Uint8Array, Uint8Array>());
  const reading = given.map(({ readable }) => read(request(readable)));
  await expect(read(request("{}"))).rejects.toMatchObject({ status: 429 });
  await given[0]?.writable.close();
  await reading[0];
  expect((await read(request("{}"))).toString()).toBe("{}");
  for (const { writable } of given.slice(1)) await writable.close();
  await Promise.all(reading);
});

it("webhook body: an interrupted body is reported as such", async () => {
  const body = new ReadableStream({ start: (controller) => controller.error(new Error("reset")) });
  await expect(createHookBodies()(request(body))).rejects.toMatchObject({
    status: 400,
    message: "The connection ended before the body was complete.",
  });
});
