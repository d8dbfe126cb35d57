import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { startDueSchedules } from "../../../src/engine/schedule/schedules.ts";
import { NIGHTLY_DRAFT, openNightly, type Nightly, type NightlyOptions } from "../../support/nightly.ts";
import { expectNothingLeft } from "../../support/cleanup-checks.ts";

const TIMEOUT_MS = 200_000;
const TEST_TIMEOUT = { timeout: 240_000 };
const MINUTE = 60_000;

let night: Nightly | null = null;

afterEach(async () => {
  await night?.close();
  night = null;
}, 60_000);

async function open(options: NightlyOptions): Promise<Nightly> {
  night = await openNightly({ timeoutMs: TIMEOUT_MS, ...options });
  return night;
}

describe("improve: scheduled task", TEST_TIMEOUT, () => {
  it("runs through to a change request, and people are notified", async () => {
    const opened = await open({ improve: '  schedule: "* * * * *"\n' });
    const { ports } = opened.wired;
    const later = (ms: number) => ({ ...ports, clock: { ...ports.clock, now: () => Date.now() + ms } });
    await startDueSchedules(ports);
    await startDueSchedules(later(MINUTE));
    const list = { status: null, state: null, project: "shop", cursor: null, limit: 10 };
    const task = (await ports.store.tasks.listTasks(list)).rows.at(-1);
    if (task === undefined) throw new Error("the schedule started nothing");
    const ended = await opened.settled(task.id);
    expect(ended).toMatchObject({ pipeline: "improve", state: "published", outcome: "published" });
    expect(opened.forge.changeRequests).toMatchObject([{ branch: ended.branch, labels: ["night-shift", "docs"] }]);
    await vi.waitFor(async () => {
      expect(opened.notices.join("\n")).toContain(`${opened.forge.url}/team/shop/-/merge_requests/1`);
      const lines = (await readFile(join(opened.home, "logs", "nights.jsonl"), "utf8")).trim().split("\n");
      expect(lines.map((line) => JSON.parse(line) as unknown)).toContainEqual(
        expect.objectContaining({ task: ended.id, outcome: "published", category: "docs" }),
      );
    }, MINUTE);
    await expectNothingLeft(opened, ended);
  });
});

describe("improve: limits.task_timeout", TEST_TIMEOUT, () => {
  it("applies to the whole task, regardless of remaining categories and attempts", async () => {
    const opened = await open({
      settings: "limits: { task_timeout: 30s }\n",
      agent: 'echo x >> "$(dirname "$0")/started"; sleep 16; nothing "all of $CATEGORY is well"',
    });
    const { id } = await opened.submit(NIGHTLY_DRAFT);
    const task = await opened.settled(id);
    // The second category got the remaining time. The others are not started.
    const started = (await readFile(join(opened.repo.path, "started"), "utf8")).trim().split("\n");
    expect(started.length).toBeLessThanOrEqual(2);
    expect(task).toMatchObject({ status: "failed", state: "abandoned" });
    expect(task.reason?.split("\n")).toEqual([
      "docs: all of docs is well (7 files)",
      expect.stringMatching(/limits\.task_timeout is used up$/),
    ]);
    expect(opened.forge.changeRequests).toEqual([]);
    await expectNothingLeft(opened, task);
  });
});
