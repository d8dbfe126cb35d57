import { expect, it } from "vitest";
import { sseResponse, type SseOptions } from "./sse.ts";

const OPTIONS: SseOptions = {
  heartbeatMs: 60_000,
  stallMs: 60_000,
  cut: () => {},
  isAllowed: async () => true,
  watchAccess: () => () => {},
  closing: new AbortController().signal,
  onError: () => {},
};

/** Returns the number of turns of the event loop while each of the readers of an endless history gets this many chunks. */
async function countTurns(readers: number, chunks: number): Promise<number> {
  const endless = { read: async () => ({ text: "data: {}\n\n", last: false }), watch: () => () => {} };
  let turns = 0;
  let isReading = true;
  const countTurn = (): void => {
    turns += 1;
    if (isReading) setImmediate(countTurn);
  };
  setImmediate(countTurn);
  const streams = Array.from({ length: readers }, () => sseResponse(endless, OPTIONS).body?.getReader());
  await Promise.all(
    streams.map(async (stream) => {
      for (let read = 0; read < chunks; read += 1) await stream?.read();
      await stream?.cancel();
    }),
  );
  isReading = false;
  return turns;
}

it("event stream: other work gets its turn while a long history is sent", async () => {
  expect(await countTurns(1, 100)).toBeGreaterThan(50);
});

it("event stream: other work gets its turn between the readers of long histories", async () => {
  expect(await countTurns(20, 20)).toBeGreaterThan(200);
});
