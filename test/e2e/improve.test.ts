import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { git } from "../../src/testing/temp-repo.ts";
import { NIGHTLY_DRAFT, openNightly, TOKEN, type Nightly, type NightlyOptions } from "../support/nightly.ts";

let night: Nightly;

async function open(options: NightlyOptions = {}): Promise<Nightly> {
  night = await openNightly(options);
  return night;
}

afterEach(async () => {
  await night.close();
});

async function runNight(): Promise<Awaited<ReturnType<Nightly["settled"]>>> {
  const { id } = await night.submit(NIGHTLY_DRAFT);
  return night.settled(id);
}

describe("improve pipeline", () => {
  it.each(["gitlab", "github"] as const)("ends in one change request on %s", async (kind) => {
    await open({ kind, overHttp: true });
    const task = await runNight();
    expect(task).toMatchObject({ status: "succeeded", state: "published", outcome: "published" });
    expect(task.branch).toBe("night-shift/say-more");
    const [request, ...others] = night.forge.changeRequests;
    expect(others).toEqual([]);
    expect(request).toMatchObject({
      branch: "night-shift/say-more",
      target: "main",
      title: "[night-shift/docs] Say more in the notes",
      labels: ["night-shift", "docs"],
      reviewers: ["alice"],
    });
    expect(request?.body).toMatch(/## Summary[\s\S]*## Reasoning[\s\S]*## Changes[\s\S]*## Candidates considered/);
    expect(request?.body).toContain("Another idea");
    const log = await git(night.repo.remote, "log", "--format=%B%an", "main..night-shift/say-more");
    expect(log).toMatch(/^docs: say more\n\nBecause\./);
    expect(log).not.toContain(TOKEN);
    expect(await night.path(task.id)).toEqual([
      "analyzing>implementing",
      "implementing>checking",
      "checking>verifying",
      "verifying>describing",
      "describing>publishing",
      "publishing>published",
    ]);
  });
});

describe("improve: description of a change", () => {
  it("follows the project's own commit messages, not those of the engine", async () => {
    const agent = `case $ROLE in
      analyze) found "Say more" notes.txt;;
      implement) echo more >> notes.txt; implemented "said more";;
      verify) verified;;
      describe) LOG=$(printf '%s' "$PROMPT" | sed -n 's/.*\`\\(git log -30 [0-9a-f]*\\)\`.*/\\1/p' | head -n 1)
        described "In the style of $($LOG --format=%s | head -n 1)";;
    esac`;
    await open({ agent });
    expect(await runNight()).toMatchObject({ state: "published" });
    expect(night.forge.changeRequests[0]?.title).toBe("[night-shift/docs] In the style of three");
  });
});

/** Reads the run log, one line per night. */
async function readNights(): Promise<readonly Record<string, unknown>[]> {
  const file = join(night.home, "logs", "nights.jsonl");
  const lines = await vi.waitFor(async () => {
    const text = await readFile(file, "utf8");
    if (!text.endsWith("\n")) throw new Error("it is being written");
    return text;
  }, 20_000);
  return lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Expects that no tree, process or lock of the task is left. */
async function expectClean(id: string): Promise<void> {
  await vi.waitFor(
    async () => expect(await night.wired.ports.workspaces.trees(id).catch(() => [])).toEqual([]),
    20_000,
  );
  expect(await night.wired.ports.store.tasks.listOpenRuns()).toEqual([]);
}

/** Reports `$1` for every category except `docs`. */
const ifCategory = (category: string, there: string, elsewhere: string): string =>
  `if [ "$CATEGORY" = ${category} ]; then ${there}; else ${elsewhere}; fi`;

const IMPLEMENT_TO_DESCRIBE = `
  implement) echo more >> notes.txt; implemented "said more";;
  verify) verified;;
  describe) described "Say more in the notes";;`;

describe("improve: fallback to other categories", () => {
  it("tries the categories in order and names the original one", async () => {
    await open({
      agent: `case $ROLE in analyze) ${ifCategory("security", 'found "Harden it" notes.txt', 'nothing "all of $CATEGORY is well"')};;${IMPLEMENT_TO_DESCRIBE} esac`,
    });
    const task = await runNight();
    expect(task).toMatchObject({
      state: "published",
      items: { list: ["docs", "tests", "refactoring", "security", "performance"], at: 3 },
    });
    expect(task.items?.tried).toEqual([
      { item: "docs", outcome: "no_improvement", reason: "all of docs is well", filesScanned: 7 },
      { item: "tests", outcome: "no_improvement", reason: "all of tests is well", filesScanned: 7 },
      { item: "refactoring", outcome: "no_improvement", reason: "all of refactoring is well", filesScanned: 7 },
    ]);
    // Label and title have the plain name. The text says which category it is a fallback from.
    expect(night.forge.changeRequests[0]).toMatchObject({ labels: ["night-shift", "security"] });
    expect(night.forge.changeRequests[0]?.title).toMatch(/^\[night-shift\/security\] /);
    const [logged] = await readNights();
    expect(logged).toMatchObject({ category: "security (fallback from docs)", outcome: "published" });
    await expectClean(task.id);
  });

  it("reports what was analyzed if all five find nothing", async () => {
    await open({ agent: 'nothing "covered"' });
    const task = await runNight();
    expect(task).toMatchObject({ status: "succeeded", state: "no_improvement", outcome: "no_improvement" });
    expect(task.reason?.split("\n")).toEqual(
      ["docs", "tests", "refactoring", "security", "performance"].map((item) => `${item}: covered (7 files)`),
    );
    expect(night.forge.changeRequests).toEqual([]);
    await expectClean(task.id);
  });

  it("ends at once on a day without a category", async () => {
    await open({ withoutSundays: true });
    const scheduledAt = Date.parse("2026-11-15T02:00:00Z"); // a Sunday
    const { id } = await night.submit({ ...NIGHTLY_DRAFT, improve: { category: null, only: false, scheduledAt } });
    expect(await night.settled(id)).toMatchObject({
      state: "no_improvement",
      reason: "no category is scheduled for sunday",
    });
    expect(await night.runs(id)).toEqual([]);
  });
});

describe("improve: retries", () => {
  it("implement again from a clean tree, with the reason, until the change is verified", async () => {
    await open({
      agent: `case $ROLE in
        analyze) found "Say more" notes.txt;;
        implement) ls > seen.txt; cp seen.txt "$HOME/seen-$N.txt" 2>/dev/null; rm seen.txt
          if [ -e left-behind.txt ]; then echo dirty >> notes.txt; fi
          case "$PROMPT" in *"too short"*) echo "told why" >> notes.txt;; esac
          echo "try $N" >> notes.txt; implemented "try $N";;
        verify) if [ "$N" -lt 3 ]; then failed "too short"; else verified; fi;;
        describe) described "Say more";;
      esac`,
    });
    const task = await runNight();
    expect(task).toMatchObject({ state: "published" });
    expect(await night.published(task, "notes.txt")).toBe("notes\ntold why\ntry 3");
    const roles = (await night.runs(task.id)).flatMap(({ role }) => (role === null ? [] : [role]));
    expect(roles.filter((role) => role === "implement")).toHaveLength(3);
  });

  it("move on to the next category after three attempts, and the task is abandoned when none is left", async () => {
    await open({
      agent: `case $ROLE in analyze) found "Say more of $CATEGORY" notes.txt;; implement) echo "$CATEGORY $N" >> notes.txt; implemented x;; verify) failed "not what was selected";; esac`,
      improve: "",
    });
    const { id } = await night.submit({
      ...NIGHTLY_DRAFT,
      improve: { category: "docs", only: true, scheduledAt: null },
    });
    const task = await night.settled(id);
    expect(task).toMatchObject({ status: "failed", state: "abandoned", outcome: "abandoned" });
    expect(task.reason).toMatch(/^docs: .*not what was selected|^docs: no/);
    expect((await night.runs(id)).filter(({ role }) => role === "implement")).toHaveLength(3);
    expect(night.forge.changeRequests).toEqual([]);
  });
});
