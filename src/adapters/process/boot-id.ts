import { readFileSync } from "node:fs";

/** Identifies the current boot of the machine. Null where the system does not tell. */
export function bootId(): string | null {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return null;
  }
}
