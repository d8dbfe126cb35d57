import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Client } from "../../src/http/client/client.ts";
import { createNodeClient } from "../../src/http/client/node-client.ts";

const MAIN = fileURLToPath(new URL("../../src/daemon/main.ts", import.meta.url));
/** The daemon is started hundreds of times. Without a compile cache, most of the time would go into stripping types. */
const COMPILE_CACHE = fileURLToPath(new URL("../../node_modules/.cache/nightshift-chaos", import.meta.url));
const START_MS = 30_000;

export interface Daemon {
  /** Resolves when the daemon responds, or to null if it exited before. */
  readonly client: Promise<Client | null>;
  /** Resolves when the process has exited for any reason. */
  readonly ended: Promise<void>;
  hasEnded(): boolean;
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export interface DaemonOptions {
  /** A checkpoint at which the daemon kills itself. */
  readonly crashAt?: string | null;
  readonly env?: Readonly<Record<string, string>>;
}

export function startDaemon(home: string, { crashAt = null, env = {} }: DaemonOptions = {}): Daemon {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", MAIN], {
    env: {
      PATH: process.env["PATH"],
      HOME: home,
      NIGHTSHIFT_HOME: home,
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      ...(crashAt !== null && { NIGHTSHIFT_CRASH_AT: crashAt }),
      ...env,
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  let gone = false;
  const ended = once(child, "exit").then(() => void (gone = true));
  const signal = async (name: NodeJS.Signals): Promise<void> => {
    child.kill(name);
    await ended;
  };
  return {
    client: waitForAddress(home, child.pid ?? 0, () => gone),
    ended,
    hasEnded: () => gone,
    kill: () => signal("SIGKILL"),
    stop: () => signal("SIGTERM"),
  };
}

async function waitForAddress(home: string, pid: number, gone: () => boolean): Promise<Client | null> {
  for (const start = performance.now(); performance.now() - start < START_MS && !gone(); await sleep(10)) {
    const address = readAddress(home);
    if (address?.pid === pid) return createNodeClient(address);
  }
  return null;
}

function readAddress(home: string): { pid: number; url: string; token: string } | null {
  try {
    // The cast is safe: the daemon writes this file atomically.
    return JSON.parse(readFileSync(join(home, "daemon.json"), "utf8")) as { pid: number; url: string; token: string };
  } catch {
    return null;
  }
}
