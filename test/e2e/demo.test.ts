import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { BIN, createUser } from "./cli-user.ts";

test("a demo whose reader leaves stops its daemon", async () => {
  const user = await createUser();
  try {
    const child = spawn(process.execPath, [BIN, "demo"], {
      env: { ...user.env, TMPDIR: user.repo.path },
      stdio: ["ignore", "pipe", "pipe"],
    });
    // As `demo 2>&1 | head` does: both ends are closed when the daemon has something to do.
    child.stderr.on("data", (chunk: Buffer) => {
      if (!chunk.includes("started (attempt 1)")) return;
      child.stdout.destroy();
      child.stderr.destroy();
    });
    const [code] = (await once(child, "exit")) as [number | null];
    expect(code).toBe(0);
    const dir = (await readdir(user.repo.path)).find((name) => name.startsWith("nightshift-demo-")) ?? "";
    const home = join(user.repo.path, dir, "home");
    expect(existsSync(join(home, "nightshift.db"))).toBe(true);
    expect(existsSync(join(home, "daemon.json"))).toBe(false);
  } finally {
    await user.leave();
  }
});
