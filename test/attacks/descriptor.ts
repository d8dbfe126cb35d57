import { RESULT, syscallProgram } from "../../src/testing/syscalls/syscall-program.ts";
import { syscallNumber } from "./attacker-tools.ts";

/** Far above the descriptors that Node closes itself. */
export const DESCRIPTOR = 100;
const DUP3 = [292, 24] as const;
const EXECVE = [59, 221] as const;
const AT_FDCWD = -100;

export interface Launch {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
}

/** A program that leaves a file open on a high descriptor and then becomes another program, as a careless shell or service may do. */
export function launchWithDescriptor(file: string, { argv, env }: Launch): Uint8Array {
  const words = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return syscallProgram(process.arch === "arm64" ? "arm64" : "x64", [
    { call: "openat", args: [AT_FDCWD, file, 0] },
    { call: syscallNumber(DUP3), args: [RESULT, DESCRIPTOR, 0] },
    { call: syscallNumber(EXECVE), args: [argv[0], { words: [...argv, 0] }, { words: [...words, 0] }] },
  ]);
}
