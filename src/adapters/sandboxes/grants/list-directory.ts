import { readdirSync } from "node:fs";

/** Lists a directory. Empty if it does not exist or is unreadable. */
export function listDirectory(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
