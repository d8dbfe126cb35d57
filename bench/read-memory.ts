import { readFileSync } from "node:fs";

const MB = 1_000_000;

/** Reads a value of a file in /proc, such as `VmRSS` in `status`, in megabytes. */
export function readMemory(pid: number, file: "status" | "smaps_rollup", name: string): number {
  const found = new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${pid}/${file}`, "utf8"))?.[1];
  if (found === undefined) throw new Error(`/proc/${pid}/${file} has no ${name}`);
  return (Number(found) * 1024) / MB;
}
