import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DEMO_TASKS, type DemoNight } from "../../src/cli/demo/night.ts";
import type { ReportJson } from "../../src/http/client/client.ts";
import { hasScript, runOnTerminal } from "../support/terminal.ts";
import { BIN, createUser, waitForExit } from "../support/cli-user.ts";

test("demo: a night of ten tasks fills every section of the report, and --clean leaves nothing behind", async () => {
  const user = await createUser();
  try {
    const child = spawn(process.execPath, [BIN, "demo", "--clean", "--json"], {
      // A token of the person's own daemon must not be sent to the one of the demo.
      env: { ...user.env, TMPDIR: user.repo.path, NIGHTSHIFT_TOKEN: "of-another-daemon" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const { code, stdout, stderr } = await waitForExit(child);
    expect(code, stderr).toBe(0);
    const { tasks, report } = JSON.parse(stdout) as { readonly tasks: DemoNight; readonly report: ReportJson };
    const ends = Object.entries(tasks).map(([name, { outcome, state }]) => [name, outcome ?? state]);
    expect(Object.fromEntries(ends)).toEqual(
      Object.fromEntries(Object.entries(DEMO_TASKS).map(([name, { end }]) => [name, end])),
    );
    expect(tasks.chore.runs.filter(({ step }) => step === "checks").map(({ outcome }) => outcome)).toEqual([
      "checks_failed",
      "checks_passed",
    ]);
    expect(tasks.docs.branch).toBe("night-shift/readme-says-whom");
    expect(report.verdict).toMatchObject({ level: "attention", fact: "The shift ran to the end." });
    const { decide, review, failed, skipped, merged, done } = tasksBySection(report);
    expect(decide).toEqual(idsOf([tasks.feature, tasks.questions, tasks.choice, tasks.approval]));
    expect(review).toEqual(idsOf([tasks.chore, tasks.docs]));
    expect(failed).toEqual([tasks.failing.id]);
    expect(skipped).toEqual([tasks.security.id]);
    expect(merged).toEqual([tasks.bug.id]);
    expect(done).toEqual([tasks.request.id]);
    expect(report.sections.failed.tasks[0]?.next).toContain(
      `nightshift retry ${report.sections.failed.tasks[0]?.short_id}`,
    );
    expect(report.money.costs.total.cost_usd).toBeCloseTo(
      Object.values(tasks).reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), 0),
    );
    expect((await readdir(user.repo.path)).filter((name) => name.startsWith("nightshift-demo-"))).toEqual([]);
  } finally {
    await user.cleanUp();
  }
}, 180_000);

test.runIf(hasScript)(
  "demo: on a terminal, opens the page and keeps it running until Ctrl-C",
  async () => {
    const user = await createUser();
    try {
      const [program, seen] = [join(user.repo.path, "browser"), join(user.repo.path, "opened.txt")];
      await writeFile(program, `#!/bin/sh\nprintf %s "$1" > "${seen}"\n`, { mode: 0o755 });
      const run = runOnTerminal(user, ["demo", "--clean"], { BROWSER: program, TMPDIR: user.repo.path });
      const ready = "Press Ctrl-C to stop the demo and remove all of its files.";
      await run.type(ready, "", { timeoutMs: 120_000 });
      const { origin, hash } = new URL(await readFile(seen, "utf8"));
      const response = await fetch(`${origin}/api/v1/session`, {
        method: "POST",
        headers: { "content-type": "application/json", origin },
        body: JSON.stringify({ code: hash.slice(1) }),
      });
      await run.type(ready, "\u0003");
      const { output, code } = await run.end();
      expect(response.status).toBe(200);
      expect(code, output).toBe(0);
      expect(output).toContain("Your browser shows the night.");
      expect(output).toContain("Removed ");
      await expect(fetch(`${origin}/api/v1/healthz`)).rejects.toThrow("fetch failed");
      expect((await readdir(user.repo.path)).filter((name) => name.startsWith("nightshift-demo-"))).toEqual([]);
    } finally {
      await user.cleanUp();
    }
  },
  180_000,
);

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

function tasksBySection({ sections }: ReportJson): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(Object.entries(sections).map(([name, { tasks }]) => [name, idsOf(tasks)]));
}

function idsOf(tasks: readonly { readonly id: string }[]): readonly string[] {
  return tasks.map(({ id }) => id).toSorted();
}
