import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "../../../core/text/errors.ts";
import type { PortRange } from "../../../ports/workspace.ts";
import { bootId } from "../../process/job-files.ts";

/** Part of the record of a checkout. */
export interface PortReservation {
  /** The boot of the machine. Checkouts from before a reboot are not used again. */
  readonly boot: string | null;
  /** Missing if none are reserved. */
  readonly ports?: PortRange;
}

/** Below the ports that Linux and macOS choose for outgoing connections. */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_767;

/** Returns the first range that no existing workspace has reserved. The caller holds the lock for all ports. */
export async function findFreePorts(workspacesDir: string, count: number): Promise<PortRange> {
  const reserved = (await listReserved(workspacesDir)).toSorted((one, other) => one.first - other.first);
  let first = FIRST_PORT;
  for (const range of reserved) {
    if (first + count <= range.first) break;
    first = Math.max(first, range.first + range.count);
  }
  if (first + count - 1 <= LAST_PORT) return { first, count };
  throw new UserError(
    "invalid",
    `No ${count} free ports are left between ${FIRST_PORT} and ${LAST_PORT}: ${reserved.length} workspaces have reserved theirs.`,
    "Set `workspace.ports` to a lower number, or delete failed tasks that you no longer need.",
  );
}

async function listReserved(workspacesDir: string): Promise<PortRange[]> {
  const found: PortRange[] = [];
  for (const task of await list(workspacesDir)) {
    const trees = join(workspacesDir, task, "engine.git", "trees");
    for (const name of await list(trees))
      if (name.endsWith(".json")) found.push(...(await readPorts(join(trees, name))));
  }
  return found;
}

/** Only we write these files. One that is damaged or from before a reboot belongs to no usable workspace. */
async function readPorts(file: string): Promise<PortRange[]> {
  try {
    const { boot, ports } = JSON.parse(await readFile(file, "utf8")) as PortReservation;
    return ports === undefined || boot !== bootId() ? [] : [ports];
  } catch {
    return [];
  }
}

async function list(dir: string): Promise<string[]> {
  return await readdir(dir).catch(() => []);
}
