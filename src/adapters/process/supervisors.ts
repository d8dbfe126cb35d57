import { existsSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Log } from "../../ports/log.ts";
import type { ControlOrder, Supervisors } from "../../ports/supervisor.ts";
import { findBundle, SUPERVISOR } from "./bundle.ts";
import { CLAIM, readExitRecord, readSupervisor, TIMINGS } from "./job-files.ts";
import type { Timings } from "./job-files.ts";
import { createPreparedSupervisors } from "./prepare-supervisors.ts";
import { socketPath } from "./socket-path.ts";
import { spawnSupervisor } from "./spawn-supervisor.ts";
import { startSupervisor } from "./start-supervisor.ts";
import { sweepSockets } from "./sweep-sockets.ts";
import { connect, isAlive, sendLine, watchJob } from "./watch-job.ts";

export interface SupervisorsOptions {
  /** Nightshift's home directory. It contains the sockets and the compile cache. */
  readonly home: string;
  readonly log: Log;
  /** The Node that runs supervisors. Default: the Node of this process. */
  readonly node?: string;
  /** The supervisor program. Default: the one that is shipped. */
  readonly supervisorEntry?: string;
  /** Directory of Node's compile cache for supervisors. Default: a folder in the home directory. */
  readonly compileCache?: string | undefined;
  readonly timings?: Timings;
  /** How long a supervisor that another process started may take to register. */
  readonly startMs?: number;
}

const START_MS = 10_000;
const RESPONSE_TIMEOUT_MS = 15_000;

export function createSupervisors(options: SupervisorsOptions): Supervisors {
  const { home, log, node = process.execPath, timings = TIMINGS, startMs = START_MS } = options;
  const compileCache = options.compileCache ?? join(home, "cache", "compile");
  const program = { node, entry: options.supervisorEntry ?? shippedEntry(), compileCache };
  const prepared = createPreparedSupervisors(program);
  const acquire = (dir: string) => prepared.take(dir) ?? spawnSupervisor(dir, program);
  return {
    prepare: prepared.prepare,
    dismiss: prepared.dismiss,
    async start(job) {
      await startSupervisor(job, { home, timings, acquire });
      log.info("supervisor started", { run: job.run, commands: job.commands.length });
    },
    async watch(dir, watchOptions) {
      const result = await watchJob({ dir, socket: socketPath(home, dir), startMs }, watchOptions);
      if (result.kind === "lost")
        log.warn("a supervisor died without an exit record; its processes were ended", { dir });
      return result;
    },
    control: sendOrder,
    wasStarted: async (dir) => existsSync(join(dir, CLAIM)),
    sweep: () => sweepSockets(home),
    isAlive: async (dir) => isSupervised(dir) && readExitRecord(dir) === null,
  };
}

function isSupervised(dir: string): boolean {
  const supervisor = readSupervisor(dir);
  return supervisor !== null && isAlive(supervisor);
}

async function sendOrder(dir: string, order: ControlOrder): Promise<boolean> {
  const socket = isSupervised(dir) ? await connect(dir) : null;
  if (socket === null) return false;
  try {
    sendLine(socket, { order });
    return await new Promise<boolean>((resolve) => {
      socket.setTimeout(RESPONSE_TIMEOUT_MS, () => resolve(false));
      socket.once("data", () => resolve(true));
      socket.once("close", () => resolve(false));
    });
  } finally {
    socket.destroy();
  }
}

/** In the npm package, this file is JavaScript and the program is already bundled. */
function shippedEntry(): string {
  const here = import.meta.url;
  const bundled = extname(here) === ".ts" ? findBundle(fileURLToPath(new URL("../../..", here)), SUPERVISOR) : null;
  return bundled ?? fileURLToPath(new URL(`../../supervisor/main${extname(here)}`, here));
}
