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

/** The daemon that answers; null where none does. */
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

/** Where a daemon said it would be; it may be gone since. */
export async function readAddress({ env }: Pick<CliContext, "env">): Promise<DaemonAddress | null> {
  try {
    // Written by the daemon, in a folder only this user can write to.
    return JSON.parse(readFileSync(homePaths(await findHome(env)).daemon, "utf8")) as DaemonAddress;
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && "code" in error)) return null;
    throw error;
  }
}
