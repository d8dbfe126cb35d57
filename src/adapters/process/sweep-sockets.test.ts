import { mkdtemp, readdir, rename, rm, utimes } from "node:fs/promises";
import { createServer } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { prepareSocketPath } from "./socket-path.ts";
import { sweepSockets } from "./sweep-sockets.ts";

let home = "";

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "nightshift-s-"));
});
afterEach(async () => {
  await rm(home, { recursive: true });
});

async function listen(run: string) {
  const path = prepareSocketPath(home, run);
  const server = createServer().listen(path);
  await once(server, "listening");
  return { path, server };
}

/** A socket of a process that is gone. Renaming keeps Node from removing it when it closes the server. */
async function leaveSocket(run: string, suffix: string): Promise<string> {
  const { path, server } = await listen(run);
  await rename(path, path + suffix);
  server.close();
  await once(server, "close");
  return path + suffix;
}

it("sweepSockets removes sockets without a listener, except new ones", async () => {
  const { path: live, server } = await listen("live");
  const old = [live, await leaveSocket("dead", ".out"), await leaveSocket("dead", ".gw")];
  const fresh = await leaveSocket("starting", ".new");
  const hourAgo = Date.now() / 1_000 - 3_600;
  for (const path of old) await utimes(path, hourAgo, hourAgo);
  await sweepSockets(home);
  expect((await readdir(dirname(live))).toSorted()).toEqual([basename(live), basename(fresh)].toSorted());
  server.close();
  await once(server, "close");
});

it("sweepSockets accepts a home without sockets", async () => {
  await expect(sweepSockets(home)).resolves.toBeUndefined();
});
