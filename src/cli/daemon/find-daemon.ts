import { readFileSync } from "node:fs";
import { findHome, homePaths, nameHome } from "../../config/files/paths.ts";
import { UserError } from "../../core/text/errors.ts";
import { UnreachableError, UnresponsiveError } from "../../http/client/client.ts";
import { createNodeClient } from "../../http/client/node-client.ts";
import type { CliContext } from "../context.ts";

export interface DaemonAddress {
  readonly pid: number;
  readonly url: string;
  readonly token: string;
  readonly version: string;
}

/** Returns the address of the running daemon, or null if there is none. Throws UnresponsiveError if it hangs. */
export async function findDaemon(context: Pick<CliContext, "env">): Promise<DaemonAddress | null> {
  const address = await readAddress(context);
  if (address === null) return null;
  try {
    await createNodeClient(address).call("GET /healthz");
    return address;
  } catch (error) {
    if (error instanceof UnreachableError) return null;
    // Another program may have taken over the port of a daemon that has exited.
    if (error instanceof UnresponsiveError && !isAlive(address.pid)) return null;
    throw error;
  }
}

export function isAlive(pid: number): boolean {
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

/** What to do about a daemon that hangs. */
export function adviseUnresponsive(env: CliContext["env"]): string {
  const { logs, daemon } = homePaths(nameHome(env));
  const pid = /"pid": (\d+)/.exec(readFileSync(daemon, "utf8"))?.[1] ?? "unknown";
  return `Wait if the machine is busy. Otherwise run "nightshift stop --force" to end the daemon (pid ${pid}), then "nightshift start". Its logs are in ${logs}`;
}

/**
 * Reads the address from daemon.json. The daemon may have exited since. NIGHTSHIFT_TOKEN replaces the owner's token, so that a
 * command acts as that person and with their rights only.
 */
export async function readAddress({ env }: Pick<CliContext, "env">): Promise<DaemonAddress | null> {
  const ownToken = readToken(env);
  try {
    // The cast is safe: the daemon wrote this file, in a folder that only this user can write to.
    const address = JSON.parse(readFileSync(homePaths(await findHome(env)).daemon, "utf8")) as DaemonAddress;
    return { ...address, token: ownToken ?? address.token };
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && "code" in error)) return null;
    throw error;
  }
}

/** Null if there is no token. An empty one counts as none. */
function readToken(env: CliContext["env"]): string | null {
  const token = env["NIGHTSHIFT_TOKEN"]?.trim() ?? "";
  if (/^[\x21-\x7e]*$/.test(token)) return token || null;
  throw new UserError(
    "invalid",
    "NIGHTSHIFT_TOKEN contains characters that are not part of any token, such as a line break.",
    'Set it to what "nightshift token add" printed.',
  );
}
