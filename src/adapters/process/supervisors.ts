import { existsSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Log } from "../../ports/log.ts";
import type { ControlOrder, Supervisors } from "../../ports/supervisor.ts";
import { findBundle, SUPERVISOR } from "./bundle.ts";
import { connect, sendLine } from "./connect.ts";
import { CLAIM, readExitRecord, readSupervisor, TIMINGS } from "./job-files.ts";
import type { Timings } from "./job-files.ts";
import { createPreparedSupervisors } from "./prepare-supervisors.ts";
import { spawnSupervisor } from "./spawn-supervisor.ts";
import { startSupervisor } from "./start-supervisor.ts";
import { isAlive, watchJob } from "./watch-job.ts";

export interface SupervisorsOptions {
  /** Nightshift's home: sockets and the compile cache stand below it. */
  readonly home: string;
  readonly log: Log;
  /** The Node that runs supervisors; this process's own unless told. */
  readonly node?: string;
  /** The supervisor program; our own unless told. */
  readonly supervisorEntry?: string;
  /** Where Node keeps the supervisor's code without its types; below the home unless told. */
  readonly compileCache?: string | undefined;
  readonly timings?: Timings;
  /** How long a supervisor that somebody else started may take until it can be found. */
  readonly startMs?: number;
}

const START_MS = 10_000;
const ANSWER_MS = 15_000;

export function createSupervisors(options: SupervisorsOptions): Supervisors {
  const { home, log, node = process.execPath, timings = TIMINGS, startMs = START_MS } = options;
  const compileCache = options.compileCache ?? join(home, "cache", "compile");
  const program = { node, entry: options.supervisorEntry ?? shippedEntry(), compileCache };
  const prepared = createPreparedSupervisors(program);
  const hire = (dir: string) => prepared.take(dir) ?? spawnSupervisor(dir, program);
  return {
    prepare: prepared.prepare,
    dismiss: prepared.dismiss,
    async start(job) {
      await startSupervisor(job, { home, timings, hire });
      log.info("supervisor started", { run: job.run, commands: job.commands.length });
    },
    async watch(dir, watchOptions) {
      const result = await watchJob(dir, watchOptions, startMs);
      if (result.kind === "lost") log.warn("a supervisor died without a record; its processes were ended", { dir });
      return result;
    },
    control: giveOrder,
    wasStarted: async (dir) => existsSync(join(dir, CLAIM)),
    isAlive: async (dir) => isFound(dir) && readExitRecord(dir) === null,
  };
}

function isFound(dir: string): boolean {
  const supervisor = readSupervisor(dir);
  return supervisor !== null && isAlive(supervisor);
}

async function giveOrder(dir: string, order: ControlOrder): Promise<boolean> {
  const socket = isFound(dir) ? await connect(dir) : null;
  if (socket === null) return false;
  try {
    sendLine(socket, { order });
    return await new Promise<boolean>((resolve) => {
      socket.setTimeout(ANSWER_MS, () => resolve(false));
      socket.once("data", () => resolve(true));
      socket.once("close", () => resolve(false));
    });
  } finally {
    socket.destroy();
  }
}

/** Packed, this file is JavaScript, and the program was bundled before it was shipped. */
function shippedEntry(): string {
  const here = import.meta.url;
  const bundled = extname(here) === ".ts" ? findBundle(fileURLToPath(new URL("../../..", here)), SUPERVISOR) : null;
  return bundled ?? fileURLToPath(new URL(`../../supervisor/main${extname(here)}`, here));
}
