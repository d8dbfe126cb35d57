import { sandboxes } from "../../adapters/sandboxes/index.ts";
import { requirePassed, runSelfTestOnce } from "../../adapters/sandboxes/self-test/self-test-once.ts";
import { personHome } from "../../config/files/paths.ts";
import { UserError } from "../../core/text/errors.ts";
import type { SandboxMode } from "../../core/settings/settings.ts";

export interface SandboxGate {
  /** Why no run may start in the sandbox; null when it holds, or when the user wants none. */
  problem(): Promise<string | null>;
  /** What is known of it so far, without asking. */
  known(): string | null;
}

interface GateParams {
  readonly mode: SandboxMode;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A wall that does not hold is tried again after this: somebody may have repaired it. */
const AGAIN_MS = 30_000;

/** Tried before the first run, once for all runs; a wall that was never tried is not relied on. */
export function createSandboxGate({ mode, home, env }: GateParams): SandboxGate {
  let known: string | null = null;
  let asked: Promise<string | null> | null = null;
  let askedAt = 0;

  async function ask(): Promise<string | null> {
    askedAt = performance.now();
    known = await tryWall(home, env);
    return known;
  }

  return {
    async problem() {
      if (mode !== "enforce") return null;
      if (known !== null && performance.now() - askedAt > AGAIN_MS) asked = null;
      asked ??= ask();
      return asked;
    },
    known: () => known,
  };
}

async function tryWall(home: string, env: GateParams["env"]): Promise<string | null> {
  try {
    requirePassed(await runSelfTestOnce(sandboxes.enforce, { home, userHome: personHome(env) }));
    return null;
  } catch (error) {
    if (error instanceof UserError) return [error.message, error.hint].filter((part) => part !== null).join(" ");
    return `The sandbox could not be tried: ${error instanceof Error ? error.message : String(error)}`;
  }
}
