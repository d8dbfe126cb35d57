import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { saveProject } from "../../src/engine/commands/project-commands.ts";
import type { Requester } from "../../src/core/task/requester.ts";
import type { CheckResult, Run } from "../../src/core/task/run.ts";
import { hasEnded, type Task } from "../../src/core/task/task.ts";
import type { TaskDraft } from "../../src/core/task/task-draft.ts";
import { createKnownSecrets } from "../../src/daemon/known-secrets.ts";
import { wire, type Wired } from "../../src/daemon/wire/wire.ts";
import { createCommands } from "../../src/engine/commands/commands.ts";
import type { Commands } from "../../src/engine/commands/commands-contract.ts";
import { startDispatch, type Dispatch } from "../../src/engine/dispatch.ts";
import { SAMPLE_DRAFT } from "../../src/testing/builders.ts";
import { SILENT_LOG } from "../../src/testing/store/samples.ts";
import { createTempRepo, git, type Files, type TempRepo } from "../../src/testing/temp-repo.ts";

export const ALICE: Requester = { kind: "person", name: "alice", rights: ["admin"] };

/** Runs the real engine in this process with real store, git, supervisors and files in a temporary home. Only the agent is a script. */
export interface Night {
  readonly home: string;
  readonly repo: TempRepo;
  readonly commands: Commands;
  readonly wired: Wired;
  readonly notices: readonly string[];
  submit(draft?: Partial<TaskDraft>): Promise<Task>;
  /** Waits until the task has ended or waits for a person. */
  settled(id: string): Promise<Task>;
  until(id: string, isDone: (task: Task) => boolean): Promise<Task>;
  runs(id: string): Promise<readonly Run[]>;
  /** Returns the project's checks, without Nightshift's own checks of every change. */
  checks(id: string): Promise<readonly CheckResult[]>;
  path(id: string): Promise<readonly string[]>;
  /** Returns what the remote has in the task's branch. */
  published(task: Task, file: string): Promise<string>;
  /** Simulates a webhook call of the project's forge. */
  lookAgain(project: string): void;
  /** Simulates a daemon that was stopped and restarted. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface NightOptions {
  /** The agent as a shell script. `$OUT` is the outcome file. */
  readonly agent?: string;
  readonly files?: Files;
  /** Added to nightshift.yaml. */
  readonly settings?: string;
  readonly userSettings?: string;
  /** An agent of the settings instead of the script. */
  readonly agentName?: string;
  /** Environment of the daemon. Default: the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** A repository to use instead of a new one. It is removed with the night. */
  readonly repo?: TempRepo;
  /** Another address of the same repository. */
  readonly remote?: string;
  /** Called at each checkpoint, for example to stop there. */
  readonly pass?: (checkpoint: string) => void;
  /** Timeout of waits. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 25_000;

/** Writes the user's settings, the agent and the project's settings. */
async function writeFiles(repo: TempRepo, options: NightOptions): Promise<string> {
  const home = join(repo.path, "home");
  const agent = join(repo.path, "agent.sh");
  await mkdir(home, { mode: 0o700 });
  await writeFile(join(home, "config.yaml"), options.userSettings ?? "sandbox: { mode: none }\n");
  await writeFile(
    agent,
    `#!/bin/sh\nOUT=$NIGHTSHIFT_OUTCOME_FILE\nN=$NIGHTSHIFT_ATTEMPT\ndone_with() { printf '{"outcome":"implemented","summary":"%s"}' "$1" > "$OUT"; }\n${options.agent ?? DEFAULT_AGENT}\n`,
  );
  await chmod(agent, 0o755);
  const { agentName } = options;
  const mine = `agent: mine\nagents:\n  mine: { kind: command, command: [${JSON.stringify(agent)}] }\n`;
  await writeFile(
    join(repo.checkout, "nightshift.yaml"),
    `project: shop\n${agentName === undefined ? mine : `agent: ${agentName}\n`}${options.settings ?? ""}`,
  );
  return home;
}

export async function openNight(options: NightOptions = {}): Promise<Night> {
  const repo =
    options.repo ??
    (await createTempRepo({ "greeting.txt": "hello\n", "test.sh": "grep -q hello greeting.txt\n", ...options.files }));
  const home = await writeFiles(repo, options);
  const notices: string[] = [];
  const { env = process.env, timeoutMs = TIMEOUT_MS } = options;
  const open = (): Promise<Wired> =>
    wire({
      home,
      env,
      log: SILENT_LOG,
      secrets: createKnownSecrets(env),
      pass: options.pass ?? (() => undefined),
      write: (line) => void notices.push(line),
    });
  let wired = await open();
  let dispatch = await startDispatch(wired.ports);
  let commands = createCommands(wired.ports);
  const remote = options.remote ?? repo.remote;
  const project = { name: "shop", path: repo.checkout, remote, defaultBranch: "main" };
  const { wanted } = await wired.projectFiles.pendingTrust(project, "");
  await saveProject(wired.ports, { ...project, accepted: wanted }, ALICE);
  await wired.limits.refresh();

  const until: Night["until"] = async (id, holds) => {
    const start = performance.now();
    for (;;) {
      const task = await wired.ports.store.tasks.getTask(id);
      if (task === null) throw new Error(`no task ${id}`);
      if (holds(task)) return task;
      if (performance.now() - start > timeoutMs)
        throw new Error(`still ${task.status} in ${task.state}: ${JSON.stringify(await lastEvents(wired, id))}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  return {
    home,
    repo,
    notices,
    get wired() {
      return wired;
    },
    get commands() {
      return commands;
    },
    submit: (draft = {}) => commands.submit({ ...SAMPLE_DRAFT, ...draft }, ALICE),
    until,
    settled: (id) => until(id, (task) => hasEnded(task) || task.status === "waiting"),
    runs: (id) => wired.ports.store.tasks.listRuns({ task: id, status: null, project: null, limit: 100 }),
    checks: async (id) =>
      (await wired.ports.store.tasks.listChecks(id)).filter(
        ({ name }) => !["diff-policy", "no-secrets"].includes(name),
      ),
    path: async (id) => {
      const events = await wired.ports.store.events.listEvents({ after: 0, task: id, limit: 1000 });
      return events
        .filter(({ type }) => type === "task.state")
        .map(({ data }) => `${String(data["from"])}>${String(data["to"])}`);
    },
    published: (task, file) => git(repo.remote, "show", `${task.branch}:${file}`),
    lookAgain: (name) => dispatch.pollForge(name),
    restart: async () => {
      await stop(wired, dispatch);
      wired = await open();
      commands = createCommands(wired.ports);
      await wired.limits.refresh();
      dispatch = await startDispatch(wired.ports);
    },
    close: async () => {
      for (const { id } of await wired.ports.store.tasks.listOpenRuns())
        await wired.ports.supervisors.control(wired.ports.runFiles.dir(id), "kill");
      await stop(wired, dispatch);
      await repo.remove();
    },
  };
}

const DEFAULT_AGENT = 'echo "hello, world" > greeting.txt\necho "changed the greeting"\ndone_with "greets the world"';

async function stop(wired: Wired, dispatch: Dispatch): Promise<void> {
  await dispatch.stop();
  await wired.ports.store.close();
}

async function lastEvents(wired: Wired, id: string): Promise<readonly string[]> {
  return (await wired.ports.store.events.listEvents({ after: 0, task: id, limit: 1000 }))
    .slice(-6)
    .map(({ summary }) => summary);
}
