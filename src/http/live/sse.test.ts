import { expect, it } from "vitest";
import { sseResponse } from "./sse.ts";

it("event stream: other work gets its turn while a long history is sent", async () => {
  const endless = { read: async () => ({ text: "data: {}\n\n", last: false }), watch: () => () => {} };
  const { body } = sseResponse(endless, {
    heartbeatMs: 60_000,
    stallMs: 60_000,
    cut: () => {},
    isAllowed: async () => true,
    watchAccess: () => () => {},
    closing: new AbortController().signal,
    onError: () => {},
  });
  const reader = body?.getReader();
  let turns = 0;
  let isReading = true;
  const countTurns = (): void => {
    turns += 1;
    if (isReading) setImmediate(countTurns);
  };
  setImmediate(countTurns);
  for (let chunks = 0; chunks < 100; chunks += 1) await reader?.read();
  isReading = false;
  await reader?.cancel();
  expect(turns).toBeGreaterThan(50);
});
