import { SYSTEM } from "../core/event.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { ProjectFiles } from "../ports/projects.ts";
import type { RunFiles } from "../ports/run-files.ts";
import type { Admission, Store } from "../ports/store.ts";

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
  readonly runFiles: Pick<RunFiles, "freeBytes">;
  readonly clock: Clock;
  readonly log: Log;
}

export function createLimits(options: LimitsOptions): LimitsKeeper {
  const { total, diskFloorBytes, runFiles, store, clock } = options;
  let projects: Readonly<Record<string, number>> = {};
  // By subject: the disk, or `project <name>`.
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
  async function note(subject: string, problem: string | null): Promise<void> {
    const isNew = problem !== null && !problems.has(subject);
    const isOver = problem === null && problems.has(subject);
    if (problem === null) problems.delete(subject);
    else problems.set(subject, problem);
    if (!isNew && !isOver) return;
    const summary = problem ?? `${subject}: all is well again`;
    options.log.warn(summary);
    // A full disk may refuse this as well; the problem stands in the status all the same.
    await store
      .appendEvents([
        {
          at: clock.now(),
          task: null,
          run: null,
          type: "run.note",
          level: isNew ? "warning" : "info",
          actor: SYSTEM,
          summary,
          data: {},
        },
      ])
      .catch(() => []);
  }

  async function readLimits(): Promise<Readonly<Record<string, number>>> {
    const known: Record<string, number> = { ...projects };
    for (const project of await store.listProjects())
      try {
        known[project.name] = (await options.projects.settings(project)).limits.concurrentRuns;
        await note(`project ${project.name}`, null);
      } catch (error) {
        // The last good value stays until the files can be read again.
        await note(
          `project ${project.name}`,
          `the settings of project ${project.name} cannot be used: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    return known;
  }
}

const DISK = "disk";

function megabytes(bytes: number): string {
  return `${Math.floor(bytes / 1_000_000)} MB`;
}
