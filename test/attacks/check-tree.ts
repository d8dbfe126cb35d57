import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Stage } from "./attack.ts";
import { scenePolicy } from "./scene.ts";

export interface Check {
  readonly path: string;
  readonly sandbox: "enforce" | "none";
  readonly script: string;
  /** Name of the file outside that must not appear. */
  readonly sign: string;
}

/** Runs a check in a checkout like the engine, and returns whether it reached outside. */
export async function checkTree(stage: Stage, { path, sandbox, script, sign }: Check): Promise<string | null> {
  const { scene } = stage;
  const policy = scenePolicy(scene, {
    cwd: path,
    own: { write: [path], read: [process.execPath] },
    protect: [],
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: path, OUTSIDE: scene.outside },
  });
  const { stdout, stderr, record } = await stage.run({
    sandbox,
    argv: ["sh", "-c", `${script}; echo "ended $?"`],
    policy,
  });
  if (!stdout.includes("ended ")) throw new Error(`the check did not end: ${stderr} ${JSON.stringify(record)}`);
  const file = join(scene.outside, sign);
  if (!existsSync(file)) return null;
  rmSync(file);
  return `${sign} was written outside`;
}
