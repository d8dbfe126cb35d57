import { SYSTEM, type EventType } from "../core/task/event.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { ProjectFiles } from "../ports/projects.ts";
import type { RunFiles } from "../ports/run-files.ts";
import type { Admission, Project, Store } from "../ports/store.ts";

type Limits = Omit<Admission, "at">;

/** How much may run at once. Read from the files now and then: admission itself must not wait for a disk. */
export interface LimitsKeeper {
  current(): Limits;
  /** What keeps work from starting, a sentence each. */
  problems(): readonly string[];
  refresh(): Promise<void>;
}

export interface LimitsOptions {
  readonly total: number;
  /** Nothing new starts while less than this is free; what runs may finish. */
  readonly diskFloorBytes: number;
  readonly store: Pick<Store, "listProjects" | "appendEvents">;
  readonly projects: Pick<ProjectFiles, "settings">;
  /** What a project's files ask for that nobody accepted. */
  readonly pendingTrust: (project: Project) => Promise<{ readonly changes: readonly { readonly key: string }[] }>;
  readonly runFiles: Pick<RunFiles, "freeBytes">;
  readonly clock: Clock;
  readonly log: Log;
}

export function createLimits(options: LimitsOptions): LimitsKeeper {
  const { total, diskFloorBytes, runFiles, store, clock } = options;
  let projects: Readonly<Record<string, number>> = {};
  // By subject: the disk, the settings or the trust of a project.
  const problems = new Map<string, string>();
  return {
    current: () => ({ total: problems.has(DISK) ? 0 : total, projects, perProject: total, parkedAgents: [] }),
    problems: () => [...problems.values()],
    async refresh() {
      const free = await runFiles.freeBytes();
      await note(
        DISK,
        free < diskFloorBytes
          ? `only ${megabytes(free)} are free on the disk of Nightshift's home: nothing new is started below ${megabytes(diskFloorBytes)}`
          : null,
      );
      projects = await readLimits();
    },
  };

  /** Said once when it comes and once when it goes, not with every look. */
  async function note(subject: string, problem: string | null, type: EventType = "run.note"): Promise<void> {
    const isNew = problem !== null && !problems.has(subject);
    const isOver = problem === null && problems.has(subject);
    if (problem === null) problems.delete(subject);
    else problems.set(subject, problem);
    if (!isNew && !isOver) return;
    const summary = problem ?? `${subject}: all is well again`;
    options.log.warn(summary);
    // A full disk may refuse this as well; the problem stands in the status all the same.
    await store.events
      .appendEvents([
        {
          at: clock.now(),
          task: null,
          run: null,
          type,
          level: isNew ? "warning" : "info",
          actor: SYSTEM,
          summary,
          data: {},
        },
      ])
      .catch(() => []);
  }

  async function readLimits(): Promise<Readonly<Record<string, number>>> {
    const known: Record<string, number> = {};
    const registered = await store.projects.listProjects();
    for (const project of registered) {
      known[project.name] = (await readLimit(project)) ?? projects[project.name] ?? total;
      await noteTrust(project);
    }
    for (const subject of problems.keys())
      if (subject !== DISK && !registered.some(({ name }) => subject.endsWith(` ${name}`))) problems.delete(subject);
    return known;
  }

  /** Null where the files cannot be read: the last good value stays until they can. */
  async function readLimit(project: Project): Promise<number | null> {
    const subject = `settings of project ${project.name}`;
    try {
      const { concurrentRuns } = (await options.projects.settings(project)).limits;
      await note(subject, null);
      return concurrentRuns;
    } catch (error) {
      await note(subject, `the ${subject} cannot be used: ${error instanceof Error ? error.message : String(error)}`);
      return null;
    }
  }

  async function noteTrust(project: Project): Promise<void> {
    // Files that cannot be read ask for nothing; that they cannot be read has been said.
    const { changes } = await options.pendingTrust(project).catch(() => ({ changes: [] }));
    const keys = changes.map(({ key }) => key).join(", ");
    const problem = `the files of project ${project.name} ask for what nobody accepted (${keys}): nightshift trust shows it`;
    await note(`trust of project ${project.name}`, changes.length === 0 ? null : problem, "project.untrusted_change");
  }
}

const DISK = "disk";

function megabytes(bytes: number): string {
  return `${Math.floor(bytes / 1_000_000)} MB`;
}
