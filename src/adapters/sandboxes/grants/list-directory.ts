import { readdirSync } from "node:fs";

/** The names in a directory; none where there is no such directory, or none that may be read. */
export function listDirectory(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
