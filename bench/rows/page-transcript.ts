import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser } from "playwright-core";
import { homePaths } from "../../src/config/files/paths.ts";
import type { Client, TaskJson } from "../../src/http/client/client.ts";
import { openBrowser } from "../../test/page/support/browser.ts";
import { openView, signInOwner, type SignedInUser } from "../browser.ts";
import { createBenchEnvironment, openDaemon, PROJECT, register, type BenchEnvironment } from "../environment.ts";
import { atMost, type Measured } from "../report.ts";
import { median } from "../statistics.ts";

const ROUNDS = 5;
const STORED_BYTES = 50_000_000;
const EVENTS_PER_SECOND = 200;
const SECONDS = 10;
const FIRST_LINES = 100;
/** What Chromium calls a long task. */
const LONG_MS = 50;

/** In Perl, which can sleep without a process. Prints some lines, waits for a file, and then prints at a steady rate. */
const talkingAgent = (go: string): string => `exec perl -MTime::HiRes=time,sleep -e '
$| = 1; my $line = 0;
sub say_more { my $n = $line++; print $n % 3 == 0 ? qq({"type":"tool_call","id":"$n","name":"Bash","input":{"command":"npm test -- $n"}}\\n)
  : $n % 3 == 1 ? qq({"type":"tool_result","id":"@{[$n - 1]}","output":"passed\\\\nin $n ms","failed":false}\\n)
  : qq({"type":"text","text":"Step **$n** is done, \`a.ts\` is next."}\\n); }
say_more() for 1..${FIRST_LINES};
sleep 0.05 until -e $ARGV[0];
my $start = time;
while ($line < ${FIRST_LINES + EVENTS_PER_SECOND * SECONDS}) {
  my $due = ${FIRST_LINES} + (time - $start) * ${EVENTS_PER_SECOND};
  say_more() while $line < $due;
  sleep 0.02;
}
open my $out, ">", $ENV{NIGHTSHIFT_OUTCOME_FILE}; print $out q({"outcome":"implemented","summary":"talked"});
open my $file, ">>", "README"; print $file "more\\n";
' ${go}`;

/** Transcripts in Chromium: a very large one that ended, and one that grows quickly. */
export async function measurePageTranscript(): Promise<readonly Measured[]> {
  const environment = createBenchEnvironment("exit 1", 1);
  const go = join(environment.root, "go");
  writeFileSync(join(environment.root, "agent.sh"), `#!/bin/sh\n${talkingAgent(go)}\n`);
  const daemon = await openDaemon(environment);
  const browser = await openBrowser();
  try {
    await register(environment, daemon.client);
    const user = await signInOwner(environment);
    const [longest, task] = await followLive(browser, user, { client: daemon.client, go });
    const opened = await openStored(browser, user, { environment, task });
    const row = { row: "w", baseline: null, unit: "ms" } as const;
    return [
      {
        ...row,
        what: `transcript of ${STORED_BYTES / 1_000_000} MB, from the navigation until its first entry is shown`,
        value: opened,
        target: atMost(opened, 1000, "1 s"),
      },
      {
        ...row,
        what: `longest task of the page while a transcript grows by ${EVENTS_PER_SECOND} events/s for ${SECONDS} s`,
        value: longest,
        target: atMost(longest, LONG_MS, `${LONG_MS} ms`),
      },
    ];
  } finally {
    await browser.close();
    await daemon.stop({ force: true });
    environment.remove();
  }
}

/** Chromium reports only tasks of 50 ms and more. Without one, the result is 0. */
async function followLive(
  browser: Browser,
  user: SignedInUser,
  { client, go }: { readonly client: Client; readonly go: string },
): Promise<readonly [longest: number, task: TaskJson]> {
  const body = { project: PROJECT, pipeline: "chore", description: "Talk" };
  const { id } = await client.call("POST /tasks", { body });
  const read = (): Promise<TaskJson> => client.call("GET /tasks/:id", { params: { id } });
  await waitFor(read, ({ runs }) => runs.some(({ status }) => status === "running"));
  const { context, page } = await openView(browser, user, `/tasks/${id}/transcript`);
  await page.getByText(`npm test -- ${FIRST_LINES - 1}`).waitFor();
  // The page has settled, and only what arrives from now on is measured.
  await sleep(2_000);
  await page.evaluate(
    'window.long = [0]; new PerformanceObserver((list) => long.push(...list.getEntries().map((entry) => entry.duration))).observe({ type: "longtask" })',
  );
  writeFileSync(go, "");
  await page.getByText(`npm test -- ${FIRST_LINES + EVENTS_PER_SECOND * SECONDS - 3}`).waitFor();
  const longest = Number(await page.evaluate("Math.max(...long)"));
  await context.close();
  return [longest, await waitFor(read, ({ status }) => status === "succeeded")];
}

async function openStored(
  browser: Browser,
  user: SignedInUser,
  { environment, task }: { readonly environment: BenchEnvironment; readonly task: TaskJson },
): Promise<number> {
  const run = task.runs.find(({ step }) => step === "agent")?.id ?? "";
  const file = join(homePaths(environment.home).runs, run, "transcript.jsonl");
  if (!existsSync(file)) throw new Error("the run has no transcript");
  const lines = readFileSync(file, "utf8");
  writeFileSync(file, lines.repeat(Math.ceil(STORED_BYTES / lines.length)));
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { context, page } = await openView(browser, user, `/tasks/${task.id}/transcript?run=${run}`);
    await page.getByText("npm test -- 0").first().waitFor();
    times.push(Number(await page.evaluate("performance.now()")));
    await context.close();
  }
  return median(times);
}

async function waitFor(read: () => Promise<TaskJson>, holds: (task: TaskJson) => boolean): Promise<TaskJson> {
  for (;;) {
    const task = await read();
    if (holds(task)) return task;
    await sleep(50);
  }
}
