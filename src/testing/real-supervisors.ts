import { join } from "node:path";
import { runEnvironmentEntry, TIMINGS } from "../adapters/process/job-files.ts";
import { createSupervisors } from "../adapters/process/supervisors.ts";
import { createTree } from "../adapters/process/tree.ts";
import type { Log } from "../ports/log.ts";
import type { SupervisorSuite } from "./suites/supervisor/supervisor.suite.ts";

export const quiet: Log = { info: () => {}, warn: () => {}, error: () => {} };

/** Real processes with short timeouts. The tests share the compile cache, because compiling takes most of a first start. */
export const realSupervisors: SupervisorSuite = {
  create: (home, graceMs) =>
    createSupervisors({
      home,
      log: quiet,
      compileCache: join(import.meta.dirname, "../../node_modules/.cache/nightshift-tests"),
      timings: { ...TIMINGS, graceMs, hungMs: 400 },
      startMs: 600,
    }),
  processesOf: (run) =>
    createTree({ leader: null, environment: runEnvironmentEntry(run), since: null })
      .members()
      .map(({ pid }) => pid),
};
