import { sandboxes } from "../../adapters/sandboxes/index.ts";
import { requirePassed, runSelfTestOnce } from "../../adapters/sandboxes/self-test/self-test-once.ts";
import { personHome } from "../../config/files/paths.ts";
import { UserError } from "../../core/text/errors.ts";
import type { SandboxMode } from "../../core/settings/settings.ts";

export interface SandboxGate {
  /** Tests the sandbox. Returns why no run may start; null if it works or is turned off. */
  findProblem(): Promise<string | null>;
  /** The result of the last test. */
  lastProblem(): string | null;
}

interface GateParams {
  readonly mode: SandboxMode;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A failed test is repeated after this time, because the problem may be fixed. */
const RETRY_AFTER_MS = 30_000;

/** Tests the sandbox once, before the first run. An untested sandbox is never used. */
export function createSandboxGate({ mode, home, env }: GateParams): SandboxGate {
  let lastProblem: string | null = null;
  let test: Promise<string | null> | null = null;
  let testedAt = 0;

  async function runTest(): Promise<string | null> {
    testedAt = performance.now();
    lastProblem = await testSandbox(home, env);
    return lastProblem;
  }

  return {
    async findProblem() {
      if (mode !== "enforce") return null;
      if (lastProblem !== null && performance.now() - testedAt > RETRY_AFTER_MS) test = null;
      test ??= runTest();
      return test;
    },
    lastProblem: () => lastProblem,
  };
}

async function testSandbox(home: string, env: GateParams["env"]): Promise<string | null> {
  try {
    requirePassed(await runSelfTestOnce(sandboxes.enforce, { home, userHome: personHome(env) }));
    return null;
  } catch (error) {
    if (error instanceof UserError) return [error.message, error.hint].filter((part) => part !== null).join(" ");
    return `The sandbox could not be tested: ${error instanceof Error ? error.message : String(error)}`;
  }
}
