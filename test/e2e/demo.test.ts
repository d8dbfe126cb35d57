import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ReportJson, TaskJson } from "../../src/http/client/client.ts";
import { BIN, createUser, waitForExit } from "../support/cli-user.ts";

test("demo: runs a chore and a nightly improvement, and leaves nothing behind with --clean", async () => {
  const user = await createUser();
  try {
    const child = spawn(process.execPath, [BIN, "demo", "--clean", "--json"], {
      // A token of the person's own daemon must not be sent to the one of the demo.
      env: { ...user.env, TMPDIR: user.repo.path, NIGHTSHIFT_TOKEN: "of-another-daemon" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const { code, stdout, stderr } = await waitForExit(child);
    expect(code, stderr).toBe(0);
    const { chore, night, report } = JSON.parse(stdout) as {
      readonly chore: TaskJson;
      readonly night: TaskJson;
      readonly report: ReportJson;
    };
    expect(chore).toMatchObject({ pipeline: "chore", outcome: "published" });
    expect(night).toMatchObject({ pipeline: "improve", outcome: "published", branch: "night-shift/readme-says-whom" });
    expect(night.runs.flatMap(({ role }) => role ?? [])).toEqual(["analyze", "implement", "verify", "describe"]);
    expect(report.verdict).toMatchObject({ level: "attention", fact: "The shift ran to the end." });
    expect(report.sections.review.tasks.map(({ id }) => id).toSorted()).toEqual([chore.id, night.id].toSorted());
    expect(report.sections.review.tasks.map(({ change }) => change?.risk.level)).toEqual(["low", "low"]);
    expect(report.money.costs.total.runs).toBe(
      [...chore.runs, ...night.runs].filter(({ step }) => step === "agent").length,
    );
    expect((await readdir(user.repo.path)).filter((name) => name.startsWith("nightshift-demo-"))).toEqual([]);
  } finally {
    await user.cleanUp();
  }
}, 180_000);

test("demo: stops its daemon when its output pipe is closed", async () => {
  const user = await createUser();
  try {
    const child = spawn(process.execPath, [BIN, "demo"], {
      env: { ...user.env, TMPDIR: user.repo.path },
      stdio: ["ignore", "pipe", "pipe"],
    });
    // Like `demo 2>&1 | head`: both pipes are closed while the daemon is working.
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
    await user.cleanUp();
  }
});
