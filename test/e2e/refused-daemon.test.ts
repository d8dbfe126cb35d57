import { readFile, rename, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createUser, type User } from "../support/cli-user.ts";

let user: User;

beforeAll(async () => {
  user = await createUser();
}, 60_000);
afterAll(() => user.cleanUp(), 60_000);

describe("a daemon does not start", { timeout: 120_000 }, () => {
  test("on a port in use, beside another daemon, or with a broken config.yaml", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    const address = taken.address();
    const port = typeof address === "object" ? String(address?.port) : "";
    expect(await user.run("start", "--port", port)).toMatchObject({ code: 4, stderr: expect.stringContaining(port) });
    taken.close();
    const config = join(user.home, "config.yaml");
    const good = await readFile(config, "utf8");
    await writeFile(config, `${good}agnt: x\n`);
    expect(await user.run("queue")).toMatchObject({ code: 2, stderr: expect.stringContaining("config.yaml:3:1") });
    await writeFile(config, good);
    expect(await user.run("start")).toMatchObject({ code: 0 });
    const file = join(user.home, "daemon.json");
    const { pid } = JSON.parse(await readFile(file, "utf8")) as { pid: number };
    // A running daemon would write the file again.
    process.kill(pid, "SIGSTOP");
    try {
      await rename(file, `${file}.aside`);
      expect(await user.run("queue")).toMatchObject({
        code: 4,
        stderr: expect.stringContaining("Another Nightshift daemon"),
      });
      await rename(`${file}.aside`, file);
    } finally {
      process.kill(pid, "SIGCONT");
    }
    expect(await user.run("queue", "--limit", "1")).toMatchObject({ code: 0 });
  });
});
