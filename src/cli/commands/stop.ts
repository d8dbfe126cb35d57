import { readFileSync } from "node:fs";
import type { RunJson } from "../../http/client/client.ts";
import { createNodeClient } from "../../http/client/node-client.ts";
import { findDaemon } from "../find-daemon.ts";
import { answer, type CliContext } from "../context.ts";
import { plural } from "../print/words.ts";

const PATIENCE_MS = 15_000;
const GLANCE_MS = 50;

export async function stop(context: CliContext, options: { readonly force?: boolean }): Promise<void> {
  const force = options.force ?? false;
  const runs = await stopDaemon(context, force);
  if (runs === null) return answer(context, { stopped: false }, () => "no daemon is running\n");
  answer(context, { stopped: true, forced: force, runs }, () => {
    const fate = force ? "ended, and tried again when the daemon starts" : "left to go on under supervisors";
    return `stopped${runs.length === 0 ? "" : `; ${plural(runs.length, "run")} ${fate}: ${runs.map(({ id }) => id).join(", ")}`}\n`;
  });
}

/** The runs that were under way, or null when no daemon was. Returns when the daemon is gone. */
export async function stopDaemon(context: CliContext, force: boolean): Promise<readonly RunJson[] | null> {
  const address = await findDaemon(context);
  if (address === null) return null;
  const { runs } = await createNodeClient(address).call("POST /daemon/stop", { body: { force } });
  for (const start = performance.now(); performance.now() - start < PATIENCE_MS && isAlive(address.pid);)
    await new Promise((resolve) => setTimeout(resolve, GLANCE_MS));
  return runs;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch {
    return false;
  }
}

/** In a container nobody may ever collect the ended daemon. */
function isZombie(pid: number): boolean {
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
