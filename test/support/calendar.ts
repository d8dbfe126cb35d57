import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { saveProject } from "../../src/engine/commands/project-commands.ts";
import { advance } from "../../src/core/pipeline/advance/advance.ts";
import { SYSTEM } from "../../src/core/task/event.ts";
import type { BareOutcome, Outcome } from "../../src/core/outcomes/outcome.ts";
import type { Task } from "../../src/core/task/task.ts";
import { createKnownSecrets } from "../../src/daemon/known-secrets.ts";
import { wire, type Wired } from "../../src/daemon/wire/wire.ts";
import { createCommands } from "../../src/engine/commands/commands.ts";
import { pipelineOf } from "../../src/engine/pipeline-of.ts";
import { admissionNow, factsOf, type EnginePorts } from "../../src/engine/ports.ts";
import { startDueSchedules } from "../../src/engine/schedule/schedules.ts";
import { outcomeOf } from "../../src/engine/run/step-context.ts";
import { requireProject } from "../../src/engine/commands/require/require-project.ts";
import { transact } from "../../src/engine/transact.ts";
import type { Notice } from "../../src/ports/store.ts";
import { sampleEnd, SILENT_LOG } from "../../src/testing/store/samples.ts";
import { createTempRepo, type TempRepo } from "../../src/testing/temp-repo.ts";
import { ALICE } from "./night.ts";
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** The real store, files and cron with a fake clock. Tasks are not executed. */
export interface Calendar {
  readonly ports: EnginePorts;
  readonly repo: TempRepo;
  now: number;
  tick(): Promise<void>;
  configure(settings: string): Promise<void>;
  tasks(): Promise<readonly Task[]>;
  /** Ends all started tasks. */
  endAll(): Promise<void>;
  events(type: string): Promise<readonly string[]>;
  /** Returns the notices of the default channel, oldest first. */
  notices(): Promise<readonly Notice[]>;
  /** Ends the active run with this outcome. */
  endRuns(outcome: BareOutcome, summary: string): Promise<void>;
  /** Simulates a daemon that was killed and restarted. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export async function openCalendar(start: string, settings: string): Promise<Calendar> {
  const repo = await createTempRepo();
  const home = join(repo.path, "home");
  await mkdir(home, { mode: 0o700 });
  const file = join(repo.checkout, "nightshift.yaml");
  const open = (): Promise<Wired> => {
    const env = { ...process.env, NIGHTSHIFT_HOME: home };
    return wire({
      home,
      env,
      log: SILENT_LOG,
      secrets: createKnownSecrets(env),
      pass: () => undefined,
      write: () => undefined,
    });
  };
  let wired = await open();
  let ports = withClock(wired);
  function withClock({ ports: real }: Wired): EnginePorts {
    return { ...real, clock: { ...real.clock, now: () => calendar.now } };
  }
  const configure = async (text: string): Promise<void> => {
    await writeFile(file, `project: shop\nagent: scripted\n${text}`);
    const place = { name: "shop", path: repo.checkout, remote: repo.remote, defaultBranch: "main" };
    const { wanted } = await wired.projectFiles.pendingTrust(place, "");
    await saveProject(ports, { ...place, accepted: wanted }, ALICE);
  };
  const calendar: Calendar = {
    get ports() {
      return ports;
    },
    repo,
    now: Date.parse(start),
    tick: () => startDueSchedules(ports),
    configure,
    tasks: async () =>
      (await ports.store.tasks.listTasks({ status: null, state: null, project: null, cursor: null, limit: 1000 })).rows,
    endAll: async () => {
      for (const task of await calendar.tasks())
        if (task.finishedAt === null) await createCommands(ports).kill(task.id, ALICE);
    },
    events: async (type) =>
      (await ports.store.events.listEvents({ after: 0, task: null, limit: 1000 }))
        .filter((event) => event.type === type)
        .map(({ summary }) => summary),
    notices: () => takeNotices(ports),
    endRuns: (outcome, summary) => endOpenRuns(ports, outcomeOf(outcome, summary)),
    restart: async () => {
      await wired.ports.store.close();
      wired = await open();
      ports = withClock(wired);
    },
    close: async () => {
      await wired.ports.store.close();
      await repo.remove();
    },
  };
  await configure(settings);
  return calendar;
}

async function takeNotices({ store, clock }: EnginePorts): Promise<readonly Notice[]> {
  const all: Notice[] = [];
  for (;;) {
    const due = await store.outbox.dueNotices(Number.MAX_SAFE_INTEGER, 100);
    const notices = due.filter(({ channel }) => channel === "terminal");
    if (notices.length === 0) return all;
    all.push(...notices);
    for (const { id } of notices) await store.outbox.markDelivered(id, clock.now());
  }
}

async function endOpenRuns(ports: EnginePorts, outcome: Outcome): Promise<void> {
  const at = ports.clock.now();
  await ports.store.tasks.admit(admissionNow(ports));
  for (const { id } of await ports.store.tasks.listOpenRuns()) {
    const run = await ports.store.tasks.takeRun(id, at);
    if (run === null) continue;
    await transact(ports, run.task, { run: id, token: run.token }, async (task) => {
      const pipeline = await pipelineOf(ports, task);
      const facts = factsOf(task, await ports.projects.lastGood(await requireProject(ports.store, task.project)));
      const { digest } = ports;
      return {
        advance: advance({ pipeline, task, outcome, run, actor: SYSTEM, facts, limits: {}, digest, at }),
        endRun: sampleEnd(id, { finishedAt: at }),
      };
    });
  }
}

const weekdays =
  "categories: { monday: [tests], tuesday: [refactoring], wednesday: [docs], thursday: [security], friday: [performance] }";
export const nightly = (timeZone: string, schedule = "0 2 * * 1-5", more = ""): string =>
  `time_zone: ${timeZone}\nimprove: { schedule: "${schedule}", ${weekdays}${more} }\n`;
