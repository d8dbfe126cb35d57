import { newEvent, type EventType } from "../core/task/event.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { ProjectFiles } from "../ports/projects.ts";
import type { RunFiles } from "../ports/run-files.ts";
import type { Admission, EventStore, Project, ProjectStore } from "../ports/store.ts";

type Limits = Omit<Admission, "at">;

/** Limits on concurrent runs. They are refreshed in the background, because admission must not wait for the disk. */
export interface LimitsKeeper {
  current(): Limits;
  /** Problems that prevent work from starting, one sentence each. */
  problems(): readonly string[];
  refresh(): Promise<void>;
}

export interface LimitsOptions {
  readonly total: number;
  /** No new run starts while less disk space is free. */
  readonly diskFloorBytes: number;
  readonly store: {
    readonly projects: Pick<ProjectStore, "listProjects">;
    readonly events: Pick<EventStore, "appendEvents">;
  };
  readonly projects: Pick<ProjectFiles, "settings">;
  /** Permissions that a project's files request and no person has accepted. */
  readonly pendingTrust: (project: Project) => Promise<{ readonly changes: readonly { readonly key: string }[] }>;
  readonly runFiles: Pick<RunFiles, "freeBytes">;
  readonly clock: Clock;
  readonly log: Log;
}

export function createLimits(options: LimitsOptions): LimitsKeeper {
  const { total, diskFloorBytes, runFiles, store, clock } = options;
  let projects: Readonly<Record<string, number>> = {};
  // Keyed by subject: the disk, or the settings or trust of a project.
  const problems = new Map<string, string>();
  return {
    current: () => ({ total: problems.has(DISK) ? 0 : total, projects, perProject: total }),
    problems: () => [...problems.values()],
    async refresh() {
      const free = await runFiles.freeBytes();
      await report(
        DISK,
        free < diskFloorBytes
          ? `only ${megabytes(free)} are free on the disk of Nightshift's home: no new run starts below ${megabytes(diskFloorBytes)}`
          : null,
      );
      projects = await readLimits();
    },
  };

  /** Reports a problem once when it appears and once when it is solved. */
  async function report(subject: string, problem: string | null, type: EventType = "run.note"): Promise<void> {
    const isNew = problem !== null && !problems.has(subject);
    const isSolved = problem === null && problems.has(subject);
    if (problem === null) problems.delete(subject);
    else problems.set(subject, problem);
    if (!isNew && !isSolved) return;
    const summary = problem ?? `${subject}: the problem is solved`;
    options.log.warn(summary);
    // Storing the event can fail on a full disk. The status shows the problem anyway.
    await store.events
      .appendEvents([newEvent({ at: clock.now(), type, level: isNew ? "warning" : "info", summary })])
      .catch(() => []);
  }

  async function readLimits(): Promise<Readonly<Record<string, number>>> {
    const limits: Record<string, number> = {};
    const registered = await store.projects.listProjects();
    for (const project of registered) {
      limits[project.name] = (await readLimit(project)) ?? projects[project.name] ?? total;
      await checkTrust(project);
    }
    for (const subject of problems.keys())
      if (subject !== DISK && !registered.some(({ name }) => subject.endsWith(` ${name}`))) problems.delete(subject);
    return limits;
  }

  /** Null if the files cannot be read. The last valid limit then stays in use. */
  async function readLimit(project: Project): Promise<number | null> {
    const subject = `settings of project ${project.name}`;
    try {
      const { concurrentRuns } = (await options.projects.settings(project)).limits;
      await report(subject, null);
      return concurrentRuns;
    } catch (error) {
      await report(subject, `the ${subject} cannot be used: ${error instanceof Error ? error.message : String(error)}`);
      return null;
    }
  }

  async function checkTrust(project: Project): Promise<void> {
    // readLimit already reports files that cannot be read.
    const { changes } = await options.pendingTrust(project).catch(() => ({ changes: [] }));
    const keys = changes.map(({ key }) => key).join(", ");
    const problem = `the files of project ${project.name} request permissions that are not accepted (${keys}); run nightshift trust`;
    await report(`trust of project ${project.name}`, changes.length === 0 ? null : problem, "project.untrusted_change");
  }
}

const DISK = "disk";

function megabytes(bytes: number): string {
  return `${Math.floor(bytes / 1_000_000)} MB`;
}
