import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shellWord } from "../../core/change/related-command.ts";
import type { Client } from "../../http/client/client.ts";
import { acceptFiles } from "../project/accept-files.ts";
import { createSignInLink } from "../daemon/sign-in-link.ts";
import { openBrowser, refuseBrowser } from "../open-browser.ts";
import { connect } from "../daemon/connect.ts";
import { DEMO_TASKS, runDemoNight, type DemoNight } from "../demo/night.ts";
import { createRepository, writeDemoConfig } from "../demo/repository.ts";
import { printResult, type CliContext } from "../context.ts";
import { Exit } from "../exit.ts";
import { formatMessage } from "../print/terminal/message.ts";
import { reportText } from "../print/report/formats.ts";
import { outlineReport, type Outline } from "../print/report/outline.ts";
import { paint } from "../print/terminal/style.ts";
import { runWithCleanup } from "../closed-pipe.ts";
import { waitForTask } from "../wait/wait-for-task.ts";
import { stopDaemon } from "./machine/stop.ts";

interface DemoOptions {
  readonly clean?: boolean;
  readonly once?: boolean;
  /** False with --no-open. */
  readonly open?: boolean;
}

/** Runs the real engine with real git and real processes. Only the model is replaced, by scripted agents. */
export async function demo(context: CliContext, options: DemoOptions): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), "nightshift-demo-"));
  const own: CliContext = {
    ...context,
    cwd: join(dir, "repo"),
    project: "demo",
    // The person's token belongs to another daemon.
    env: { ...context.env, NIGHTSHIFT_HOME: join(dir, "home"), NIGHTSHIFT_TOKEN: undefined },
  };
  context.progress(paint(context, "bold", "Creating a temporary repository with a few scripts and their tests …\n"));
  createRepository(dir);
  const sandboxProblem = await findSandboxProblem(own);
  writeDemoConfig(dir, sandboxProblem === null ? "enforce" : "none");
  context.progress(
    sandboxProblem === null
      ? "The sandbox works on this machine. The agents and the checks run inside it.\n"
      : paint(
          context,
          "yellow",
          `This demo runs without a sandbox (sandbox: NONE). Its scripted agents are harmless. ${formatMessage(sandboxProblem)}\n`,
        ),
  );
  const interrupted = listenForInterrupt();
  const isKept = context.interactive && options.once !== true;
  await runWithCleanup(
    async (untilPipeCloses) => {
      const unlessInterrupted = <T>(work: Promise<T>): Promise<T> =>
        untilPipeCloses(Promise.race([work, interrupted.then(() => Promise.reject(new Exit(130)))]));
      // Not interruptible: a daemon that is still starting could not be stopped by the cleanup.
      const client = await connect(own);
      await acceptFiles(own, client, { location: { path: own.cwd, url: null }, generated: true, yes: true });
      const tasks = await unlessInterrupted(runNight(own, client));
      const report = await client.call("GET /report", { query: {} });
      printResult(context, { tasks, report }, () => {
        const night = reportText(context, shorten(outlineReport(report, Date.now())));
        return `\n${paint(context, "bold", "The report of the night (nightshift report)")}\n${night}`;
      });
      if (!endedAsPlanned(tasks)) throw new Exit(1);
      if (!isKept) return;
      await showPage(own, client, { opens: options.open !== false });
      context.progress(
        `Press Ctrl-C to stop the demo${options.clean === true ? " and remove all of its files" : ""}.\n`,
      );
      await untilPipeCloses(stayAlive(interrupted));
      context.progress("\n");
    },
    async () => {
      await stopDaemon(own, true);
      if (options.clean === true) rmSync(dir, { recursive: true, force: true });
      context.progress(options.clean === true ? `Removed ${dir}.\n` : describeNextSteps(dir));
    },
  );
}

async function runNight(context: CliContext, client: Client): Promise<DemoNight> {
  const count = Object.keys(DEMO_TASKS).length;
  context.progress(
    `\n${count} tasks for one night. The agents are scripted, and so are their costs. Git, the checks and the pipelines are real.\n`,
  );
  return await runDemoNight(client, async ({ chore }) => {
    context.progress(
      paint(
        context,
        "bold",
        `\n"${chore.title}" on the pipeline \`chore\`: implement → checks → repair → checks → publish\n`,
      ),
    );
    await waitForTask(context, client, { id: chore.id, since: null });
    context.progress(paint(context, "gray", `\nThe other ${count - 1} tasks run at the same time …\n`));
  });
}

/** Resolves when the person presses Ctrl-C, or the terminal is closed. */
function listenForInterrupt(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => resolve());
  });
}

/** Listening for a signal does not keep a process alive by itself. */
async function stayAlive(until: Promise<void>): Promise<void> {
  const timer = setInterval(() => undefined, 60_000);
  await until.finally(() => clearInterval(timer));
}

/** Everything in the page works: a person can approve, answer, choose, retry and merge what the night left. */
async function showPage(context: CliContext, client: Client, { opens }: { readonly opens: boolean }): Promise<void> {
  const { url } = await createSignInLink(client);
  const problem = opens ? (refuseBrowser(context) ?? (await openBrowser(url, context.env))) : "No browser was opened";
  context.progress(
    `\n${paint(context, "bold", problem === null ? "Your browser shows the night. Decide what waits for you." : "Decide what waits for you in a browser:")}\n  ${url}\n  The link works once and for ten minutes. For another: NIGHTSHIFT_HOME=${shellWord(context.env["NIGHTSHIFT_HOME"] ?? "")} nightshift open\n`,
  );
}

function endedAsPlanned(night: DemoNight): boolean {
  return Object.entries(DEMO_TASKS).every(([name, { end }]) => {
    const { outcome, state } = night[name as keyof DemoNight];
    return (outcome ?? state) === end;
  });
}

/** The page and `nightshift report` show the rest. */
function shorten({ sections, ...outline }: Outline): Outline {
  return {
    ...outline,
    sections: sections.map((section) => ({
      ...section,
      items: section.items.map(({ text }) => ({ text, facts: [], next: [] })),
    })),
  };
}

/** Returns why the sandbox does not work on this machine, or null if it does. */
async function findSandboxProblem(context: CliContext): Promise<string | null> {
  // Loaded here because the doctor has many imports that the rest of the demo does not need.
  const { checkSandbox } = await import("../../daemon/doctor/doctor-sandbox.ts");
  const home = context.env["NIGHTSHIFT_HOME"] ?? "";
  mkdirSync(home, { mode: 0o700 });
  const findings = await checkSandbox({ mode: "enforce", home, env: context.env });
  const problem = findings.find(({ ok }) => ok === "no");
  return problem === undefined ? null : [problem.detail, problem.fix].join(" ");
}

function describeNextSteps(dir: string): string {
  return [
    "",
    "Where to look:",
    `  git -C ${shellWord(join(dir, "remote.git"))} log --stat --all   the published branches`,
    `  ${join(dir, "home", "runs")}   the prompt, transcript, checks and diff of each run`,
    `  rm -rf ${shellWord(dir)}   removes the demo`,
    "",
    'To use it in your own repository, run "nightshift init", then "nightshift submit" or "nightshift improve" (see README.md).',
    "",
  ].join("\n");
}
