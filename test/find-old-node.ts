import { spawnSync } from "node:child_process";
import path from "node:path";

/** Returns the machine's Node if it is too old for Nightshift. Ignores the Node that npm installed. */
export function findOldNode(): string | null {
  const folders = (process.env["PATH"] ?? "")
    .split(path.delimiter)
    .filter((folder) => !folder.includes("node_modules"));
  for (const folder of folders) {
    const node = path.join(folder, "node");
    const { status, stdout } = spawnSync(node, ["--version"], { encoding: "utf8" });
    if (status === 0) return Number.parseInt(stdout.slice(1), 10) < 24 ? node : null;
  }
  return null;
}
