import { spawnSync } from "node:child_process";
import path from "node:path";

/** The machine's own Node, if it is older than the one we need; the one that npm brought along does not count. */
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
