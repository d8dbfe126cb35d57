import type { SandboxLimits, SandboxPolicy } from "../ports/sandbox.ts";

const GB = 1024 ** 3;

export const TEST_LIMITS: SandboxLimits = {
  processes: 256,
  memoryBytes: 4 * GB,
  treeMemoryBytes: 4 * GB,
  cpuSeconds: null,
  fileBytes: GB,
  tmpBytes: 64 * 1024 ** 2,
  diskBytes: GB,
  diskFloorBytes: 1_000_000,
};

/** A policy for a command that works in `cwd`, may write there, and has no other access. */
export function testPolicy(cwd: string, changes: Partial<SandboxPolicy> = {}): SandboxPolicy {
  return {
    cwd,
    inPlace: false,
    own: { write: [cwd], read: [] },
    write: [],
    read: [],
    protect: [],
    hide: [],
    programs: [],
    forbidden: [],
    commands: null,
    env: { PATH: process.env["PATH"] ?? "", HOME: cwd },
    network: [],
    privateHosts: [],
    answersNo: false,
    gateway: null,
    answersNoModel: false,
    executes: true,
    limits: TEST_LIMITS,
    ...changes,
  };
}
