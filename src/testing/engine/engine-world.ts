import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Requester } from "../../core/task/requester.ts";
import type { Run } from "../../core/task/run.ts";
import type { Task } from "../../core/task/task.ts";
import type { TaskDraft } from "../../core/task/task-draft.ts";
import { createKnownSecrets } from "../../daemon/known-secrets.ts";
import { wire, type Wired } from "../../daemon/wire/wire.ts";
import { createCommands } from "../../engine/commands/commands.ts";
import type { Commands } from "../../engine/commands/commands-contract.ts";
import { saveProject } from "../../engine/commands/project-commands.ts";
import type { EnginePorts } from "../../engine/ports.ts";
import { runAttempt } from "../../engine/run/attempt.ts";
import type { Checkpoint } from "../../ports/checkpoint.ts";
import { SAMPLE_DRAFT } from "../builders.ts";
import { createTempRepo, type Files, type TempRepo } from "../temp-repo.ts";
import { createScriptedSupervisors, type Script, type ScriptedSupervisors } from "./scripted-supervisors.ts";

export const ADA: Requester = { kind: "person", name: "ada", rights: ["admin"] };

/** The engine on real SQLite, git and files. A script plays every command, so no process is started and nothing waits. */
export interface EngineWorld {
  readonly repo: TempRepo;
  readonly ports: EnginePorts;
  readonly commands: Commands;
  readonly supervisors: ScriptedSupervisors;
  submit(draft?: Partial<TaskDraft>): Promise<Task>;
  /** Executes the next open run of the task. Null if there is none. */
  step(task: string, signal?: AbortSignal): Promise<Run | null>;
  /** Executes runs until the task has none left that may start now. */
  drain(task: string): Promise<Task>;
  runs(task: string): Promise<readonly Run[]>;
  /** The states that the task went through, from its events. */
  path(task: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface EngineWorldOptions {
  readonly script: Script;
  readonly files?: Files;
  /** A repository that exists already, such as a loopback forge's. Closing the world removes it. */
  readonly repo?: TempRepo;
  /** Added to nightshift.yaml. */
  readonly settings?: string;
  readonly pass?: (checkpoint: Checkpoint) => void;
  /** Replaces parts of the ports, for example to make one fail. */
  readonly over?: (ports: EnginePorts) => Partial<EnginePorts>;
}

const MAX_STEPS = 50;

export async function openEngineWorld(options: EngineWorldOptions): Promise<EngineWorld> {
  const repo = options.repo ?? (await createTempRepo({ "greeting.txt": "hello\n", ...options.files }));
  const wired = await openWired(repo, options);
  const supervisors = createScriptedSupervisors(options.script);
  const base: EnginePorts = { ...wired.ports, supervisors };
  const ports: EnginePorts = { ...base, ...options.over?.(base) };
  const commands = createCommands(ports);
  await register(wired, repo);

  const getTask = async (id: string): Promise<Task> => {
    const task = await ports.store.tasks.getTask(id);
    if (task === null) throw new Error(`no task ${id}`);
    return task;
  };
  const step: EngineWorld["step"] = async (id, signal = new AbortController().signal) => {
    const run = (await ports.store.tasks.listOpenRuns()).find(({ task }) => task === id);
    if (run === undefined) return null;
    await runAttempt(ports, run.id, signal);
    return ports.store.tasks.getRun(run.id);
  };
  return {
    repo,
    ports,
    commands,
    supervisors,
    submit: (draft = {}) => commands.submit({ ...SAMPLE_DRAFT, ...draft }, ADA),
    step,
    drain: async (id) => {
      for (let steps = 0; (await step(id)) !== null; steps += 1)
        if (steps > MAX_STEPS) throw new Error(`${id} still has open runs after ${MAX_STEPS} steps`);
      return getTask(id);
    },
    runs: (task) => ports.store.tasks.listRuns({ task, status: null, project: null, limit: 100 }),
    path: async (task) =>
      (await ports.store.events.listEvents({ after: 0, task, limit: 1000 }))
        .filter(({ type }) => type === "task.state")
        .map(({ data }) => String(data["to"])),
    close: async () => {
      await wired.ports.store.close();
      await repo.remove();
    },
  };
}

async function openWired(repo: TempRepo, { settings = "", pass }: EngineWorldOptions): Promise<Wired> {
  const home = join(repo.path, "home");
  await mkdir(home, { mode: 0o700 });
  await writeFile(join(home, "config.yaml"), "sandbox: { mode: none }\n");
  const agent = "agent: mine\nagents:\n  mine: { kind: command, command: [/bin/true] }\n";
  await writeFile(join(repo.checkout, "nightshift.yaml"), `project: shop\n${agent}${settings}`);
  return wire({
    home,
    env: process.env,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    secrets: createKnownSecrets({}),
    pass: pass ?? (() => undefined),
    write: () => undefined,
  });
}

async function register(wired: Wired, repo: TempRepo): Promise<void> {
  const project = { name: "shop", path: repo.checkout, remote: repo.remote, defaultBranch: "main" };
  const { wanted } = await wired.projectFiles.pendingTrust(project, "");
  await saveProject(wired.ports, { ...project, accepted: wanted }, ADA);
  await wired.limits.refresh();
}
