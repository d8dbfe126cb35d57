import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { AttackContext } from "./attack.ts";
import { fixturePolicy } from "./fixture.ts";

export interface Check {
  readonly path: string;
  readonly sandbox: "enforce" | "none";
  readonly script: string;
  /** Name of the file outside that must not appear. */
  readonly traceFile: string;
}

/** Runs a check in a checkout like the engine, and returns whether it reached outside. */
export async function checkTree(
  context: AttackContext,
  { path, sandbox, script, traceFile: sign }: Check,
): Promise<string | null> {
  const { fixture } = context;
  const policy = fixturePolicy(fixture, {
    cwd: path,
    own: { write: [path], read: [process.execPath] },
    protect: [],
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: path, OUTSIDE: fixture.outside },
  });
  const { stdout, stderr, record } = await context.run({
    sandbox,
    argv: ["sh", "-c", `${script}; echo "ended $?"`],
    policy,
  });
  if (!stdout.includes("ended ")) throw new Error(`the check did not end: ${stderr} ${JSON.stringify(record)}`);
  const file = join(fixture.outside, sign);
  if (!existsSync(file)) return null;
  rmSync(file);
  return `${sign} was written outside`;
}
