import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { BIN, PROJECT, type BenchEnvironment } from "./environment.ts";

/** Runs the CLI and returns its output. */
export async function cli(
  environment: BenchEnvironment,
  args: readonly string[],
  node = process.execPath,
): Promise<string> {
  const env = { ...process.env, NIGHTSHIFT_HOME: environment.home, NIGHTSHIFT_PROJECT: PROJECT };
  const { stdout } = await promisify(execFile)(node, [BIN, ...args], {
    env,
    cwd: environment.root,
    maxBuffer: 256 * 1024 * 1024,
  });
  return stdout;
}
