import { setTimeout as sleep } from "node:timers/promises";
import type { Browser } from "playwright-core";
import type { Client } from "../../src/http/client/client.ts";
import { openBrowser } from "../../test/page/support/browser.ts";
import { openView, signInOwner, type SignedInUser } from "../browser.ts";
import { createBenchEnvironment, openDaemon, PROJECT, register } from "../environment.ts";
import { atMost, type Measured } from "../report.ts";
import { median } from "../statistics.ts";

const FILES = 120;
const LINES = 300;
const ROUNDS = 7;

/** Writes a change of 36,000 lines. */
const AGENT = `mkdir -p src
for file in $(seq ${FILES}); do
  seq ${LINES} | sed "s/.*/export const value&of$file = compute(&, \\"a text\\"); \\/\\/ line & of file $file/" > src/file$file.ts
done
printf '{"outcome":"implemented","summary":"Wrote many lines."}' > "$NIGHTSHIFT_OUTCOME_FILE"`;

/** A diff of 36,000 lines in Chromium: from a click on its tab until its first lines are painted, and what the document contains. */
export async function measureDiff(): Promise<readonly Measured[]> {
  const environment = createBenchEnvironment(AGENT, 1);
  const daemon = await openDaemon(environment);
  const browser = await openBrowser();
  try {
    await register(environment, daemon.client);
    const id = await makeChange(daemon.client);
    const rounds: Round[] = [];
    for (let round = 0; round < ROUNDS; round += 1)
      rounds.push(await openDiff(browser, await signInOwner(environment), id));
    const [paint, all, nodes] = [
      median(rounds.map((round) => round.paintMs)),
      median(rounds.map((round) => round.totalMs)),
      Math.max(...rounds.map((round) => round.elements)),
    ];
    const what = `diff of ${FILES * LINES} lines`;
    const row = { row: "v", baseline: null } as const;
    return [
      {
        ...row,
        what: `${what}: from the daemon's answer until its first lines are painted`,
        unit: "ms",
        value: paint,
        target: atMost(paint, 300, "0.3 s"),
      },
      { ...row, what: `${what}: from a click on its tab until then`, unit: "ms", value: all, target: null },
      {
        ...row,
        what: `${what}: lines in the document`,
        unit: "lines",
        value: nodes,
        target: atMost(nodes, 200, "200"),
      },
    ];
  } finally {
    await browser.close();
    await daemon.stop();
    environment.remove();
  }
}

async function makeChange(client: Client): Promise<string> {
  const { id } = await client.call("POST /tasks", {
    body: { project: PROJECT, pipeline: "chore", description: "Write many lines" },
  });
  for (;;) {
    const task = await client.call("GET /tasks/:id", { params: { id } });
    if (task.status === "succeeded") return id;
    if (task.status === "failed") throw new Error(`task ${id}: ${task.reason ?? "no reason"}`);
    await sleep(100);
  }
}

interface Round {
  readonly paintMs: number;
  readonly totalMs: number;
  readonly elements: number;
}

/** As text, because the bench is not compiled for a browser. */
const MEASURE = `new Promise((resolve) => {
  const start = performance.now();
  document.querySelector('nav a[href$="/diff"]').click();
  const look = () => {
    if (document.querySelector(".dl-code") === null) return requestAnimationFrame(look);
    requestAnimationFrame(() => setTimeout(() => {
      const painted = performance.now();
      const answer = performance.getEntriesByType("resource").findLast(({ name }) => name.endsWith("/diff"));
      resolve({ paintMs: painted - answer.responseEnd, totalMs: painted - start, elements: document.querySelectorAll(".dl-code").length });
    }));
  };
  look();
})`;

/** Each round has an empty cache. */
async function openDiff(browser: Browser, user: SignedInUser, id: string): Promise<Round> {
  const { context, page } = await openView(browser, user, `/tasks/${id}`);
  await page.locator('nav a[href$="/diff"]').waitFor();
  await page.waitForLoadState("networkidle", { timeout: 3_000 }).catch(() => undefined);
  const round = (await page.evaluate(MEASURE)) as Round;
  await context.close();
  return round;
}
