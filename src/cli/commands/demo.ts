import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shellWord } from "../../core/change/related-command.ts";
import { NIGHT_WORK } from "../../core/schedule/schedule.ts";
import type { Client, TaskJson } from "../../http/client/client.ts";
import { acceptFiles } from "../project/accept-files.ts";
import { connect } from "../daemon/connect.ts";
import { printResult, type CliContext } from "../context.ts";
import { Exit } from "../exit.ts";
import { formatMessage } from "../print/terminal/message.ts";
import { reportText } from "../print/report/formats.ts";
import { outlineReport } from "../print/report/outline.ts";
import { paint } from "../print/terminal/style.ts";
import { summary } from "../print/task/summary.ts";
import { runWithCleanup } from "../closed-pipe.ts";
import { waitForTask } from "../wait/wait-for-task.ts";
import { stopDaemon } from "./machine/stop.ts";

const SETTINGS = `project: demo
agent: scripted
agents:
  scripted: { script: fails-then-passes }
  night: { kind: scripted, script: nightly }
checks:
  test: { command: sh test.sh }
`;

const DESCRIPTION = "Make greet.sh print the greeting that test.sh expects, and nothing else.";

/** Runs the real engine with real git and real processes. Only the model is replaced, by the scripted agent. */
export async function demo(context: CliContext, options: { readonly clean?: boolean }): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), "nightshift-demo-"));
  const own: CliContext = {
    ...context,
    cwd: join(dir, "repo"),
    project: "demo",
    // The person's token belongs to another daemon.
    env: { ...context.env, NIGHTSHIFT_HOME: join(dir, "home"), NIGHTSHIFT_TOKEN: undefined },
  };
  context.progress(paint(context, "bold", "Creating a temporary repository with a failing check …\n"));
  makeRepository(dir);
  const sandboxProblem = await findSandboxProblem(own);
  writeConfiguration(dir, sandboxProblem === null);
  context.progress(
    sandboxProblem === null
      ? "The sandbox works on this machine. The agent and the checks run inside it.\n"
      : paint(
          context,
          "yellow",
          `This demo runs without a sandbox (sandbox: NONE). Its scripted agent is harmless. ${formatMessage(sandboxProblem)}\n`,
        ),
  );
  await runWithCleanup(
    async (untilPipeCloses) => {
      // Not interruptible: a daemon that is still starting could not be stopped by the cleanup.
      const client = await connect(own);
      const chore = await untilPipeCloses(runChore(own, client));
      context.progress(`\n${summary(context, chore)}`);
      if (chore.status !== "succeeded") throw new Exit(1);
      mergeIntoMain(dir, chore);
      const night = await untilPipeCloses(runImprove(own, client));
      const where = options.clean === true ? "" : describeNextSteps(dir, [chore, night]);
      const report = await client.call("GET /report", { query: {} });
      const morning = reportText(context, outlineReport(report, Date.now()));
      printResult(
        context,
        { chore, night, report },
        () =>
          `\n${summary(context, night)}\n${paint(context, "bold", "The report of the night (nightshift report)")}\n${morning}${where}`,
      );
      if (night.outcome !== "published") throw new Exit(1);
    },
    async () => {
      await stopDaemon(own, true);
      if (options.clean === true) rmSync(dir, { recursive: true, force: true });
    },
  );
}

async function runChore(context: CliContext, client: Client): Promise<TaskJson> {
  await acceptFiles(context, client, { location: { path: context.cwd, url: null }, generated: true, yes: true });
  const task = await client.call("POST /tasks", {
    body: { project: "demo", pipeline: "chore", description: DESCRIPTION },
  });
  context.progress(
    paint(context, "bold", "\nOne task on the pipeline `chore`: implement → checks → repair → checks → publish\n"),
  );
  return waitForTask(context, client, { id: task.id, since: null });
}

async function runImprove(context: CliContext, client: Client): Promise<TaskJson> {
  context.progress(paint(context, "bold", "\nThe branch is merged. One nightly improvement of the category `docs`:\n"));
  context.progress(paint(context, "bold", "analyze → implement → checks → verify → describe → publish\n"));
  const task = await client.call("POST /tasks", {
    body: {
      project: "demo",
      pipeline: "improve",
      agent: "night",
      category: "docs",
      description: NIGHT_WORK.description,
    },
  });
  return waitForTask(context, client, { id: task.id, since: null });
}

/** Stands in for the person who merges the change request. The nightly improvement starts from the merged branch. */
function mergeIntoMain(dir: string, { branch }: TaskJson): void {
  execFileSync("git", ["update-ref", "refs/heads/main", `refs/heads/${branch ?? ""}`], {
    cwd: join(dir, "remote.git"),
    stdio: "pipe",
  });
}

function makeRepository(dir: string): void {
  const repo = join(dir, "repo");
  mkdirSync(repo);
  const files = {
    "greet.sh": '#!/bin/sh\necho "Hello, day shift!"\n',
    "test.sh":
      '#!/bin/sh\n# The one test there is.\nwanted="Hello, night shift!"\ngot=$(sh greet.sh)\n[ "$got" = "$wanted" ] && echo "ok" && exit 0\necho "not ok: wanted \\"$wanted\\", got \\"$got\\""\nexit 1\n',
    "README.md": "# Greeting\n\n`greet.sh` greets the day shift; `test.sh` tests it.\n",
    "nightshift.yaml": SETTINGS,
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(repo, name), content);
  const git = (...args: readonly string[]): void => {
    execFileSync(
      "git",
      ["-c", "user.name=Demo", "-c", "user.email=demo@localhost", "-c", "commit.gpgsign=false", ...args],
      { cwd: repo, stdio: "pipe" },
    );
  };
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message=A greeting and its test");
  git("init", "--quiet", "--bare", "--initial-branch=main", join(dir, "remote.git"));
  git("remote", "add", "origin", join(dir, "remote.git"));
  git("push", "--quiet", "origin", "main");
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

function writeConfiguration(dir: string, hasSandbox: boolean): void {
  writeFileSync(join(dir, "home", "config.yaml"), `sandbox: { mode: ${hasSandbox ? "enforce" : "none"} }\n`);
}

function describeNextSteps(dir: string, tasks: readonly TaskJson[]): string {
  const branches = tasks.flatMap(({ branch }) => branch ?? []);
  return [
    "",
    "Where to look:",
    `  git -C ${shellWord(join(dir, "remote.git"))} log --stat ${shellWord(branches.at(-1) ?? "HEAD")}   the published branches`,
    `  ${join(dir, "home", "runs")}   the prompt, transcript, checks and diff of each run`,
    `  rm -rf ${shellWord(dir)}   removes the demo`,
    "",
    'To use it in your own repository, run "nightshift init", then "nightshift submit" or "nightshift improve" (see README.md).',
    "",
  ].join("\n");
}
