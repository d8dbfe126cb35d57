import { readFileSync } from "node:fs";
import { findHome, homePaths } from "../config/paths.ts";
import { createClient, UnreachableError, type Client } from "../http/client.ts";
import type { CliContext } from "./context.ts";
import { startDaemon } from "./start-daemon.ts";

export interface DaemonAddress {
  readonly pid: number;
  readonly url: string;
  readonly token: string;
}

/** A client of the daemon; starts the daemon when none answers. */
export async function connect(context: CliContext): Promise<Client> {
  const running = await findDaemon(context);
  if (running !== null) return createClient(running);
  context.tell("starting the daemon …\n");
  return createClient(await startDaemon(context));
}

/** A client of a daemon that is already there; UnreachableError when none is. */
export async function connectToRunning(context: CliContext): Promise<Client> {
  const running = await findDaemon(context);
  if (running === null) throw new UnreachableError("http://127.0.0.1", null);
  return createClient(running);
}

export async function findDaemon(context: Pick<CliContext, "env">): Promise<DaemonAddress | null> {
  const address = readAddress(homePaths(await findHome(context.env)).daemon);
  if (address === null) return null;
  try {
    await createClient(address).call("GET /healthz");
    return address;
  } catch (error) {
    if (error instanceof UnreachableError) return null;
    throw error;
  }
}

function readAddress(file: string): DaemonAddress | null {
  try {
    // Written by the daemon, in a folder only this user can write to.
    return JSON.parse(readFileSync(file, "utf8")) as DaemonAddress;
  } catch {
    return null;
  }
}
