import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { UnreachableError, type Client } from "../../http/client/client.ts";
import { waitUntil } from "../../testing/wait-until.ts";
import type { CliContext } from "../context.ts";
import { surviveRestarts } from "./survive-restarts.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "nightshift-gone-"));
});
afterEach(() => rmSync(home, { recursive: true }));

it("following: a call that waits for a daemon ends when the caller aborts it", async () => {
  const lost = new UnreachableError("http://127.0.0.1:1", "connection refused");
  const gone = { call: () => Promise.reject(lost) } as unknown as Client;
  let announced = "";
  const context = { env: { NIGHTSHIFT_HOME: home }, progress: (text: string) => (announced += text) };
  const abort = new AbortController();
  const call = surviveRestarts(context as unknown as CliContext, gone).call("GET /tasks/:id", {
    params: { id: "task_1" },
    signal: abort.signal,
  });
  const ended = call.catch((error: unknown) => error);
  await waitUntil(() => announced !== "");
  abort.abort();
  expect(await ended).toBe(lost);
});
