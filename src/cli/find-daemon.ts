import { readFileSync } from "node:fs";
import { findHome, homePaths } from "../config/files/paths.ts";
import { UnreachableError } from "../http/client/client.ts";
import { createNodeClient } from "../http/client/node-client.ts";
import type { CliContext } from "./context.ts";

export interface DaemonAddress {
  readonly pid: number;
  readonly url: string;
  readonly token: string;
}

/** Returns the address of the running daemon, or null if none responds. */
export async function findDaemon(context: Pick<CliContext, "env">): Promise<DaemonAddress | null> {
  const address = await readAddress(context);
  if (address === null) return null;
  try {
    await createNodeClient(address).call("GET /healthz");
    return address;
  } catch (error) {
    if (error instanceof UnreachableError) return null;
    throw error;
  }
}

/** Reads the address from daemon.json. The daemon may have exited since. */
export async function readAddress({ env }: Pick<CliContext, "env">): Promise<DaemonAddress | null> {
  try {
    // The cast is safe: the daemon wrote this file, in a folder that only this user can write to.
    return JSON.parse(readFileSync(homePaths(await findHome(env)).daemon, "utf8")) as DaemonAddress;
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && "code" in error)) return null;
    throw error;
  }
}
