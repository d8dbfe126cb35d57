import { readFileSync } from "node:fs";
import { UserError } from "../../../core/text/errors.ts";
import { UnresponsiveError, type RunJson } from "../../../http/client/client.ts";
import { createNodeClient } from "../../../http/client/node-client.ts";
import { findDaemon, isAlive, readAddress, type DaemonAddress } from "../../daemon/find-daemon.ts";
import { printResult, type CliContext } from "../../context.ts";
import { shortId } from "../../print/terminal/short-id.ts";
import { plural } from "../../print/terminal/words.ts";

const TIMEOUT_MS = 15_000;
const POLL_MS = 50;

export async function stop(context: CliContext, options: { readonly force?: boolean }): Promise<void> {
  const force = options.force ?? false;
  const runs = await stopDaemon(context, force);
  if (runs === null) return printResult(context, { stopped: false }, () => "No daemon is running.\n");
  printResult(context, { stopped: true, forced: force, runs }, () => {
    const fate = force ? "ended and will be retried when the daemon starts" : "left running under their supervisors";
    return `Stopped the daemon.${runs.length === 0 ? "" : ` ${plural(runs.length, "run")} ${fate}: ${runs.map((run) => shortId(context, run)).join(", ")}`}\n`;
  });
}

/** Stops the daemon and waits until its process has exited. Returns the runs that were active, or null if no daemon was running. */
export async function stopDaemon(context: CliContext, force: boolean): Promise<readonly RunJson[] | null> {
  try {
    const address = await findDaemon(context);
    return address === null ? null : await requestStop(address, force);
  } catch (error) {
    const address = force && error instanceof UnresponsiveError ? await readAddress(context) : null;
    if (address === null) throw error;
    return killDaemon(context, address);
  }
}

async function requestStop(address: DaemonAddress, force: boolean): Promise<readonly RunJson[]> {
  const { runs } = await createNodeClient(address).call("POST /daemon/stop", { body: { force } });
  if (!(await exitsInTime(address.pid))) throw new UnresponsiveError(address.url);
  return runs;
}

/** Ends a daemon that hangs. Its runs continue under their supervisors, and the next daemon adopts them. */
async function killDaemon(context: CliContext, { pid }: DaemonAddress): Promise<readonly RunJson[]> {
  // The daemon may have exited since it wrote its pid, and another program may have it now.
  if (!/\bdaemon\/main\.[jt]s\b/.test(await readCommandLine(pid)))
    throw new UserError(
      "conflict",
      `Process ${pid} does not answer and is not recognized as the daemon.`,
      `Check it with "ps -p ${pid}", and end it yourself if it is the daemon.`,
    );
  context.progress("The daemon does not answer and is killed. Its runs continue until the next daemon starts.\n");
  process.kill(pid, "SIGKILL");
  await exitsInTime(pid);
  return [];
}

async function readCommandLine(pid: number): Promise<string> {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    // macOS has no /proc.
  }
  const { execFile } = await import("node:child_process");
  return new Promise((resolve) => {
    execFile("ps", ["-o", "args=", "-p", String(pid)], (error, stdout) => resolve(error === null ? stdout : ""));
  });
}

async function exitsInTime(pid: number): Promise<boolean> {
  for (const start = performance.now(); isAlive(pid);) {
    if (performance.now() - start > TIMEOUT_MS) return false;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return true;
}
