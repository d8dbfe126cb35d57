import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { UserError } from "../../../core/text/errors.ts";
import { SILENT_LOG } from "../../../testing/store/samples.ts";
import { openSqliteStore } from "./open.ts";

const WRITER = fileURLToPath(new URL("fixtures/write-events.ts", import.meta.url));

describe("SQLite store of another process", () => {
  let directory = "";
  let file = "";
  let child: ChildProcess | null = null;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "nightshift-store-"));
    file = join(directory, "nightshift.db");
  });
  afterEach(async () => {
    await kill();
    await rm(directory, { recursive: true });
  });

  async function startWriter() {
    const writer = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", WRITER, file], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    child = writer;
    const output = text(writer.stdout);
    await once(writer.stdout, "data");
    return { output };
  }

  async function kill(): Promise<void> {
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }

  it("cannot be opened while that process runs, but right after it was killed", async () => {
    await startWriter();
    const refused = openSqliteStore({ file, log: SILENT_LOG });
    await expect(refused).rejects.toThrow(UserError);
    await expect(refused).rejects.toMatchObject({
      kind: "conflict",
      message: expect.stringContaining(`Another Nightshift daemon uses ${file}`),
    });
    await kill();
    const store = await openSqliteStore({ file, log: SILENT_LOG });
    expect(await store.checkIntegrity()).toEqual([]);
    await store.close();
  });

  it("loses no acknowledged write when the process is killed, and has no partial writes", async () => {
    for (let round = 0; round < 3; round++) {
      const { output } = await startWriter();
      await sleep(20 + Math.random() * 150);
      await kill();
      const acknowledged = (await output)
        .split("\n")
        .slice(0, -1)
        .map((line) => line.split(" "));
      expect(acknowledged.length).toBeGreaterThan(0);

      const store = await openSqliteStore({ file, log: SILENT_LOG });
      expect(await store.checkIntegrity()).toEqual([]);
      const [task = "", version] = acknowledged.at(-1) ?? [];
      const stored = await store.tasks.getTask(task);
      const events = await store.events.listEvents({ after: 0, task, limit: 100_000 });
      const kept = new Set(events.map(({ id }) => id));
      expect(acknowledged.filter(([, , id]) => !kept.has(Number(id)))).toEqual([]);
      // A commit may not be acknowledged yet, but event and version are always written together.
      expect(stored?.version).toBeGreaterThanOrEqual(Number(version));
      expect(events.map(({ data }) => data["version"])).toEqual(
        Array.from({ length: (stored?.version ?? 0) - 1 }, (_, i) => i + 1),
      );
      await store.close();
    }
  });
});
