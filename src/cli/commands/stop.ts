import { readFileSync } from "node:fs";
import type { RunJson } from "../../http/client/client.ts";
import { createNodeClient } from "../../http/client/node-client.ts";
import { findDaemon } from "../find-daemon.ts";
import { printResult, type CliContext } from "../context.ts";
import { plural } from "../print/words.ts";

const TIMEOUT_MS = 15_000;
const POLL_MS = 50;

export async function stop(context: CliContext, options: { readonly force?: boolean }): Promise<void> {
  const force = options.force ?? false;
  const runs = await stopDaemon(context, force);
  if (runs === null) return printResult(context, { stopped: false }, () => "No daemon is running.\n");
  printResult(context, { stopped: true, forced: force, runs }, () => {
    const fate = force ? "ended and will be retried when the daemon starts" : "left running under their supervisors";
    return `Stopped the daemon.${runs.length === 0 ? "" : ` ${plural(runs.length, "run")} ${fate}: ${runs.map(({ id }) => id).join(", ")}`}\n`;
  });
}

/** Stops the daemon and waits until its process has exited. Returns the runs that were active, or null if no daemon was running. */
export async function stopDaemon(context: CliContext, force: boolean): Promise<readonly RunJson[] | null> {
  const address = await findDaemon(context);
  if (address === null) return null;
  const { runs } = await createNodeClient(address).call("POST /daemon/stop", { body: { force } });
  for (const start = performance.now(); performance.now() - start < TIMEOUT_MS && isAlive(address.pid);)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
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

/** In a container without an init process, the exited daemon may stay a zombie forever. */
function isZombie(pid: number): boolean {
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
