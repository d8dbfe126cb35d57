import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Task } from "../../src/core/task/task.ts";
import { startDueSchedules } from "../../src/engine/schedule/schedules.ts";
import { listUpcoming } from "../../src/engine/schedule/upcoming.ts";
import { openNightly, type Nightly, type NightlyOptions } from "../support/nightly.ts";

/** The example of docs/pipelines.md, so that the documented pipeline is tested. */
const EXAMPLE = exampleIn(readFileSync(join(import.meta.dirname, "../../docs/pipelines.md"), "utf8"));

function exampleIn(page: string): string {
  const section = page.split("### A nightly pipeline of your own\n")[1] ?? "";
  const yaml = /```yaml\n([\s\S]*?)```/.exec(section)?.[1];
  if (yaml === undefined) throw new Error("docs/pipelines.md has no example of a nightly pipeline");
  return yaml;
}

let night: Nightly;

async function open(options: NightlyOptions): Promise<void> {
  const files = { ".nightshift/pipelines/docs_night.yaml": EXAMPLE, "package.json": "{}\n" };
  night = await openNightly({ files, ...options });
}

async function runNight(): Promise<Task> {
  const { id } = await night.submit({ pipeline: "docs_night", description: "Improve the documentation." });
  return night.settled(id);
}

afterEach(async () => {
  await night.close();
});

const addLines = (count: number): string => `seq 1 ${count} >> notes.txt`;

describe("custom nightly pipeline", () => {
  it("applies the rules of its own policy, and no other rules of `improve`", async () => {
    await open({
      // More lines than `improve` allows; the third attempt follows all rules of this pipeline.
      agent: `case $ROLE in
        analyze) found "Say more" notes.txt;;
        implement) case $N in
          1) ${addLines(401)};;
          2) ${addLines(5)}; echo more >> other.txt; echo '{"dependencies":{"a":"1"}}' > package.json;;
          *) ${addLines(150)};;
          esac; implemented "said more";;
        describe) described "Say more in the notes";;
      esac`,
      // All files are recent, which this pipeline allows.
      avoidRecentCommits: 50,
      improve: "  max_diff_lines: 20\n",
      settings: `limits: { open_change_requests: 1 }
checks:
  tests: { command: "false", related: "test {{files}} = notes.txt" }
`,
    });
    const task = await runNight();
    expect(task).toMatchObject({
      state: "published",
      title: "Say more in the notes",
      branch: "docs-night/say-more",
      items: { list: ["docs"], at: 0, tried: [] },
    });
    expect(night.forge.changeRequests).toMatchObject([
      {
        branch: "docs-night/say-more",
        title: "[night-shift/docs] Say more in the notes",
        labels: ["night-shift", "docs"],
      },
    ]);
    const refused = (await night.runs(task.id)).filter(({ outcome }) => outcome === "policy_failed");
    expect(refused.map(({ payload }) => String(payload?.["summary"]))).toEqual([
      expect.stringMatching(/401 changed lines .* At most 400 are allowed/),
      expect.stringMatching(/other\.txt[\s\S]*not part of the selected improvement/),
    ]);
    expect(String(refused[1]?.payload?.["summary"])).toContain("package.json");
    expect(await readNights()).toMatchObject([{ category: "docs", outcome: "published" }]);
    const proposals = await night.wired.ports.store.ledger.listProposals({
      project: "shop",
      statuses: null,
      limit: 10,
    });
    expect(proposals.find(({ status }) => status === "published")).toMatchObject({
      title: "Say more",
      category: "docs",
    });

    // One change request may be open: the next night ends before any agent starts.
    const next = await runNight();
    expect(next).toMatchObject({ status: "succeeded", state: "no_improvement" });
    expect(next.reason).toContain("limits.open_change_requests is 1");
  });

  it("does not propose the same improvement twice, and reports the reason", async () => {
    await open({
      agent: `case $ROLE in
        analyze) report '{"outcome":"improvement_found","category":"docs","candidates":[{"rank":1,"title":"Say more","files":["notes.txt"],"description":"d","rationale":"r"}],"selected":1}';;
        implement) ${addLines(3)}; implemented "said more";;
        describe) described "Say more in the notes";;
      esac`,
    });
    expect(await runNight()).toMatchObject({ state: "published" });
    const again = await runNight();
    expect(again).toMatchObject({ status: "succeeded", state: "no_improvement", outcome: "no_improvement" });
    expect(again.reason).toMatch(/^docs: the only candidate was dropped: "Say more" is still open/);
    expect(night.forge.changeRequests).toHaveLength(1);
  });
});

describe("schedule of a custom nightly pipeline", () => {
  it("skips a run while a task that a person started is open, and lists its categories", async () => {
    await open({
      agent: "sleep 60",
      settings:
        'schedules: [{ name: docs, cron: "* * * * *", pipeline: docs_night, title: Documentation, description: Improve it. }]\n',
    });
    const { ports } = night.wired;
    const { id } = await night.submit({ pipeline: "docs_night", description: "Improve the documentation." });
    await startDueSchedules(ports);
    await startDueSchedules({ ...ports, clock: { ...ports.clock, now: () => Date.now() + 60_000 } });
    const list = { status: null, state: null, project: "shop", cursor: null, limit: 10 };
    expect((await ports.store.tasks.listTasks(list)).rows.map((task) => task.id)).toEqual([id]);
    const skipped = (await ports.store.events.listEvents({ after: 0, task: null, limit: 1000 })).filter(
      ({ type }) => type === "schedule.skipped",
    );
    expect(skipped).toHaveLength(1);
    const { runs } = await listUpcoming(ports, "shop", Date.now() + 120_000);
    expect(runs[0]).toMatchObject({ name: "docs", pipeline: "docs_night", categories: ["docs"] });
  });
});

/** Reads the night log, one line per night. */
async function readNights(): Promise<readonly unknown[]> {
  const file = join(night.home, "logs", "nights.jsonl");
  const text = await vi.waitFor(async () => {
    const written = await readFile(file, "utf8");
    if (!written.endsWith("\n")) throw new Error("it is being written");
    return written;
  }, 20_000);
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
}
