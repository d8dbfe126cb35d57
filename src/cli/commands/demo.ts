import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NIGHT_WORK } from "../../core/schedule/schedule.ts";
import type { Client, TaskJson } from "../../http/client/client.ts";
import { acceptFiles } from "../accept-files.ts";
import { connect } from "../connect.ts";
import { answer, type CliContext } from "../context.ts";
import { Exit } from "../exit.ts";
import { layOut } from "../print/hint.ts";
import { paint } from "../print/style.ts";
import { summary } from "../print/summary.ts";
import { cleanUpAfter } from "../reader.ts";
import { waitForTask } from "../wait-for-task.ts";
import { stopDaemon } from "./stop.ts";

// A repository of two commits has files that nobody touched lately only if few of them count.
const SETTINGS = `project: demo
agent: scripted
agents:
  scripted: { script: fails-then-passes }
  night: { kind: scripted, script: nightly }
checks:
  test: { command: sh test.sh }
improve:
  avoid_recent_commits: 1
`;

const DESCRIPTION = "Make greet.sh print the greeting that test.sh expects, and nothing else.";

/** The real engine, real git, real processes; only the model is played, by the scripted agent. */
export async function demo(context: CliContext, options: { readonly clean?: boolean }): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), "nightshift-demo-"));
  const own: CliContext = {
    ...context,
    cwd: join(dir, "repo"),
    project: "demo",
    env: { ...context.env, NIGHTSHIFT_HOME: join(dir, "home") },
  };
  context.tell(paint(context, "bold", "A throw-away repository with a check that fails …\n"));
  makeRepository(dir);
  const wall = await tryWall(own);
  writeConfiguration(dir, wall === null);
  context.tell(
    wall === null
      ? "The sandbox holds on this machine: agent and checks run inside it.\n"
      : paint(context, "yellow", `sandbox: NONE for this demo, whose agent is harmless. ${layOut(wall)}\n`),
  );
  await cleanUpAfter(
    async (whileRead) => {
      // Not given up half-way: a daemon that is just starting could not be stopped.
      const client = await connect(own);
      const chore = await whileRead(runChore(own, client));
      context.tell(`\n${summary(context, chore)}`);
      if (chore.status !== "succeeded") throw new Exit(1);
      mergeIntoMain(dir, chore);
      const night = await whileRead(runNight(own, client));
      const where = options.clean === true ? "" : whereToLook(dir, [chore, night]);
      answer(context, { chore, night }, () => `\n${summary(context, night)}${where}`);
      if (night.outcome !== "published") throw new Exit(1);
    },
    async () => {
      await stopDaemon(own, true);
      if (options.clean === true) rmSync(dir, { recursive: true, force: true });
    },
  );
}

async function runChore(context: CliContext, client: Client): Promise<TaskJson> {
  await acceptFiles(context, client, { place: { path: context.cwd, url: null }, own: true, yes: true });
  const task = await client.call("POST /tasks", {
    body: { project: "demo", pipeline: "chore", description: DESCRIPTION },
  });
  context.tell(
    paint(context, "bold", "\nOne task on the pipeline `chore`: implement → checks → repair → checks → publish\n"),
  );
  return waitForTask(context, client, { id: task.id, since: null });
}

async function runNight(context: CliContext, client: Client): Promise<TaskJson> {
  context.tell(paint(context, "bold", "\nThe branch is merged. One nightly improvement of the category `docs`:\n"));
  context.tell(paint(context, "bold", "analyze → implement → checks → verify → describe → publish\n"));
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

/** What a person does in the morning: the night works on what was merged. */
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

/** Why there is no sandbox here; null when there is. */
async function tryWall(context: CliContext): Promise<string | null> {
  // The doctor brings much along that no other part of the demo needs.
  const { checkSandbox } = await import("../../daemon/doctor/doctor-sandbox.ts");
  const home = context.env["NIGHTSHIFT_HOME"] ?? "";
  mkdirSync(home, { mode: 0o700 });
  const findings = await checkSandbox({ mode: "enforce", home, env: context.env });
  const trouble = findings.find(({ ok }) => ok === "no");
  return trouble === undefined ? null : [trouble.detail, trouble.fix].join(" ");
}

function writeConfiguration(dir: string, hasWall: boolean): void {
  writeFileSync(join(dir, "home", "config.yaml"), `sandbox: { mode: ${hasWall ? "enforce" : "none"} }\n`);
}

function whereToLook(dir: string, tasks: readonly TaskJson[]): string {
  const branches = tasks.flatMap(({ branch }) => branch ?? []);
  return [
    "",
    "Where to look:",
    `  git -C ${join(dir, "remote.git")} log --stat ${branches.at(-1) ?? ""}   the published branches`,
    `  ${join(dir, "home", "runs")}   prompt, transcript, checks and diff of each run`,
    `  rm -rf ${dir}   when you have seen enough`,
    "",
    "In a repository of your own: nightshift init, then nightshift submit or nightshift improve (README.md).",
    "",
  ].join("\n");
}
