import type { Admission, Store } from "../ports/store.ts";
import type { ProjectFiles } from "../ports/projects.ts";
import type { Log } from "../ports/log.ts";

type Limits = Omit<Admission, "at">;

/** How much may run at once. Read from the files now and then: admission itself must not wait for a disk. */
export interface LimitsKeeper {
  current(): Limits;
  refresh(): Promise<void>;
}

export interface LimitsOptions {
  readonly total: number;
  readonly store: Pick<Store, "listProjects">;
  readonly projects: Pick<ProjectFiles, "settings">;
  readonly log: Log;
}

export function createLimits({ total, store, projects, log }: LimitsOptions): LimitsKeeper {
  let limits: Limits = { total, projects: {}, perProject: total, parkedAgents: [] };
  return {
    current: () => limits,
    async refresh() {
      const known: Record<string, number> = { ...limits.projects };
      for (const project of await store.listProjects())
        try {
          known[project.name] = (await projects.settings(project)).limits.concurrentRuns;
        } catch (error) {
          // The last good value stays until the file can be read again.
          log.warn("the settings of a project cannot be read", { project: project.name, error: String(error) });
        }
      limits = { ...limits, projects: known };
    },
  };
}
