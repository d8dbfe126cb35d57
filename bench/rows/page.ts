import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import type { Browser } from "playwright-core";
import { homePaths } from "../../src/config/files/paths.ts";
import { PAGE_FOLDER } from "../../src/http/page.ts";
import { openBrowser } from "../../test/page/support/browser.ts";
import { openView, signInOwner, type SignedInUser } from "../browser.ts";
import { createBenchEnvironment, openDaemon, PROJECT, QUICK_AGENT } from "../environment.ts";
import { fillStore } from "../fill-store.ts";
import { readMemory } from "../read-memory.ts";
import { atMost, type Measured } from "../report.ts";
import { median } from "../statistics.ts";

const TASKS = 10_000;
const ROUNDS = 7;
const PAGES = 5;
const SETTLE_MS = 5_000;

/** The page in Chromium, with a daemon that has ten thousand tasks. */
export async function measurePage(): Promise<readonly Measured[]> {
  const environment = createBenchEnvironment(QUICK_AGENT, 1);
  await fillStore(homePaths(environment.home).db, TASKS, PROJECT);
  const daemon = await openDaemon(environment);
  const browser = await openBrowser();
  try {
    const user = await signInOwner(environment);
    const morning = await measureViews(browser, user, { path: "/", ready: "h1" });
    const tasks = await measureViews(browser, user, { path: "/tasks", ready: 'main a[href^="/tasks/"]' });
    const [before, after] = await measureDaemonMemory(browser, user, daemon.pid);
    const [size, paint, list, more] = [entrySize(), median(morning.paint), median(tasks.ready), after - before];
    const row = { row: "u", baseline: null } as const;
    return [
      {
        ...row,
        what: "scripts and styles that every view needs, compressed with gzip",
        unit: "KB",
        value: size,
        target: atMost(size, 200, "200 KB"),
      },
      {
        ...row,
        what: "first contentful paint of the morning page",
        unit: "ms",
        value: paint,
        target: atMost(paint, 600, "0.6 s"),
      },
      {
        ...row,
        what: `list of ${TASKS} tasks until its rows can be used`,
        unit: "ms",
        value: list,
        target: atMost(list, 1000, "1 s"),
      },
      {
        row: "u",
        what: `daemon's RSS with ${PAGES} open browsers (baseline: with none)`,
        unit: "MB",
        value: after,
        baseline: before,
        target: atMost(more, 15, "15 MB more"),
      },
    ];
  } finally {
    await browser.close();
    await daemon.stop();
    environment.remove();
  }
}

/** Each round has an empty cache. Times are in milliseconds since the navigation began. */
async function measureViews(
  browser: Browser,
  user: SignedInUser,
  { path, ready }: { readonly path: string; readonly ready: string },
): Promise<{ readonly paint: readonly number[]; readonly ready: readonly number[] }> {
  const times: { paint: number[]; ready: number[] } = { paint: [], ready: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    const { context, page } = await openView(browser, user, path);
    await page.locator(ready).first().waitFor();
    times.ready.push(await page.evaluate("performance.now()"));
    times.paint.push(await page.evaluate('performance.getEntriesByName("first-contentful-paint")[0].startTime'));
    await context.close();
  }
  return times;
}

/** Separate browser contexts, so that each page has its own event stream. */
async function measureDaemonMemory(
  browser: Browser,
  user: SignedInUser,
  pid: number,
): Promise<readonly [before: number, after: number]> {
  await sleep(SETTLE_MS);
  const before = readMemory(pid, "status", "VmRSS");
  const views = ["/", "/inbox", "/tasks", "/costs", "/agents"].slice(0, PAGES);
  const opened = await Promise.all(views.map((path) => openView(browser, user, path)));
  await Promise.all(opened.map(({ page }) => page.locator("h1").first().waitFor()));
  await sleep(SETTLE_MS);
  const after = readMemory(pid, "status", "VmRSS");
  await Promise.all(opened.map(({ context }) => context.close()));
  return [before, after];
}

/** Of the files that index.html names. Views and fonts are loaded later. */
function entrySize(): number {
  const html = readFileSync(join(PAGE_FOLDER, "index.html"), "utf8");
  const files = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+\.(?:js|css))"/g)].map(([, file]) => file ?? "");
  if (files.length === 0) throw new Error("index.html names no files");
  return files.reduce((sum, file) => sum + gzipSync(readFileSync(join(PAGE_FOLDER, file))).length, 0) / 1000;
}
