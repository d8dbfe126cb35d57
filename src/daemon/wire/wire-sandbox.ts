import { lstatSync } from "node:fs";
import { sandboxes } from "../../adapters/sandboxes/index.ts";
import { requirePassed, runSelfTestOnce } from "../../adapters/sandboxes/self-test/self-test-once.ts";
import { realDirectory } from "../../config/files/real-directory.ts";
import { refuseGrants } from "../../adapters/sandboxes/grants/resolve-grants.ts";
import type { SandboxAccess } from "../../engine/ports.ts";
import { personHome } from "../../config/files/paths.ts";
import { UserError } from "../../core/text/errors.ts";
import type { SandboxMode } from "../../core/settings/settings.ts";
import { cpus, totalmem } from "node:os";
import { resolve } from "node:path";
import { terminalLine } from "../../core/text/terminal-text.ts";
import type { SandboxLimits } from "../../ports/sandbox.ts";

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

/** What the engine knows about the sandbox. */
export function createSandboxAccess({
  mode,
  gate,
  home,
}: {
  readonly mode: SandboxMode;
  readonly gate: SandboxGate;
  readonly home: string;
}): SandboxAccess {
  return {
    mode,
    limitsFor: sandboxLimits(),
    findProblem: gate.findProblem,
    resolvePath: realDirectory,
    refuseDirectories: (paths, inPlace = null) => [
      ...refuseGrants({
        write: paths,
        read: inPlace === null ? [] : [inPlace],
        forbidden: [home],
        ...(inPlace !== null && { cwd: inPlace, inPlace: true }),
      }),
      ...refuseLinks(paths, home),
      ...paths.filter(isFile).map((path) => `${terminalLine(path, MAX_PATH)} is a file, not a directory.`),
    ],
  };
}

/** The sandbox would follow a link, and a person would approve another directory than the one that becomes writable. */
function refuseLinks(paths: readonly string[], home: string): readonly string[] {
  return paths.flatMap((path) => {
    const real = realDirectory(path);
    if (real === resolve(path) || refuseGrants({ write: [path], read: [], forbidden: [home] }).length > 0) return [];
    return [
      `${terminalLine(path, MAX_PATH)} leads through a link to ${terminalLine(real, MAX_PATH)}. Name that directory.`,
    ];
  });
}

/** `sandbox.write` may list files, but a plan names directories. */
function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

const MAX_PATH = 300;

async function testSandbox(home: string, env: GateParams["env"]): Promise<string | null> {
  try {
    requirePassed(await runSelfTestOnce(sandboxes.enforce, { home, userHome: personHome(env) }));
    return null;
  } catch (error) {
    if (error instanceof UserError) return [error.message, error.hint].filter((part) => part !== null).join(" ");
    return `The sandbox could not be tested: ${error instanceof Error ? error.message : String(error)}`;
  }
}

const GB = 1024 ** 3;

interface Machine {
  readonly memoryBytes: number;
  readonly cores: number;
}

/** Resource limits of one command with the given timeout: enough for any build, but the machine stays usable. */
export function sandboxLimits(machine: Machine = thisMachine()): (timeoutMs: number) => SandboxLimits {
  const { memoryBytes, cores } = machine;
  const share = Math.floor(memoryBytes * 0.75);
  return (timeoutMs) => ({
    processes: 4096,
    memoryBytes: share,
    treeMemoryBytes: share,
    // The most that a command can use within its timeout, so it never stops legitimate work.
    cpuSeconds: Math.ceil(timeoutMs / 1000) * cores,
    fileBytes: 8 * GB,
    // /tmp is kept in memory.
    tmpBytes: Math.min(2 * GB, Math.floor(memoryBytes / 8)),
    diskBytes: 20 * GB,
    diskFloorBytes: DISK_FLOOR_BYTES,
  });
}

/** Counts all processors: the daemon's own CPU affinity may not apply to commands. Without /proc the list is empty. */
function thisMachine(): Machine {
  return { memoryBytes: totalmem(), cores: Math.max(1, cpus().length) };
}

/** Below this much free disk space, no run starts and active ones are stopped. */
export const DISK_FLOOR_BYTES = 200_000_000;
