import { syscallNumber, type Arch } from "../../adapters/sandboxes/bubblewrap/syscall-numbers.ts";

/** What the call before this one gave: a descriptor, say. */
export const RESULT = Symbol("the result of the call before");

/** As the processor gets it: pointers are addresses by now. */
export interface PlainSyscall {
  readonly number: number;
  readonly args: readonly (bigint | typeof RESULT)[];
}

/** The kernel gives -4095 to -1 for errors. */
const LAST_ERROR = 4095;

/** Code that makes the calls in order and exits with the first one's errno that fails, or 0. */
export function machineCode(arch: Arch, calls: readonly PlainSyscall[]): Uint8Array {
  const { call, exitFine, exitWithError } = arch === "x64" ? X64 : ARM64;
  let code: Uint8Array = exitFine();
  // From the last to the first: each has to know how far it is to the end.
  for (const each of calls.toReversed()) {
    if (each.args.length > 6) throw new Error("A system call has six arguments at most.");
    code = Buffer.concat([call(each, code.length), code]);
  }
  return Buffer.concat([code, exitWithError()]);
}

interface Processor {
  /** Sets the registers, calls, keeps the result, and jumps over `rest` bytes of code when it is an error. */
  call(call: PlainSyscall, rest: number): Uint8Array;
  exitFine(): Uint8Array;
  /** With the errno of the result that was just looked at. */
  exitWithError(): Uint8Array;
}

/** mov register, constant; and mov register, r12, which holds the last result. In order: rdi rsi rdx r10 r8 r9. */
const X64_CONSTANT = ["48bf", "48be", "48ba", "49ba", "49b8", "49b9"] as const;
const X64_RESULT = ["4c89e7", "4c89e6", "4c89e2", "4d89e2", "4d89e0", "4d89e1"] as const;

const X64: Processor = {
  call: ({ number, args }, rest) =>
    Buffer.concat([
      hex("48b8", word64(BigInt(number))), // mov rax, number
      ...args.map((arg, index) =>
        arg === RESULT ? hex(X64_RESULT[index] ?? "") : hex(X64_CONSTANT[index] ?? "", word64(arg)),
      ),
      hex("0f05"), // syscall
      hex("4989c4"), // mov r12, rax
      hex("483d", word32(-LAST_ERROR)), // cmp rax, -4095
      hex("0f83", word32(rest)), // jae, counted from the next instruction
    ]),
  exitFine: () => hex("31ff", exitX64()), // xor edi, edi
  exitWithError: () => hex("f7d889c7", exitX64()), // neg eax; mov edi, eax
};

function exitX64(): Uint8Array {
  return hex("48b8", word64(BigInt(syscallNumber("x64", "exit_group") ?? 0)), hex("0f05"));
}

const SVC = 0xd400_0001;

const ARM64: Processor = {
  call: ({ number, args }, rest) =>
    instructions(
      ...args.flatMap((arg, register) => (arg === RESULT ? [0xaa13_03e0 | register] : setArm64(register, arg))), // mov x?, x19
      ...setArm64(8, BigInt(number)),
      SVC,
      0xaa00_03f3, // mov x19, x0
      0xb100_001f | (LAST_ERROR << 10), // cmn x0, #4095: carries when x0 is one of the errors
      0x5400_0002 | ((rest / 4 + 1) << 5), // b.hs, counted from this instruction
    ),
  exitFine: () => instructions(...setArm64(0, 0n), ...exitArm64()),
  exitWithError: () => instructions(0x4b00_03e0, ...exitArm64()), // neg w0, w0
};

function exitArm64(): readonly number[] {
  return [...setArm64(8, BigInt(syscallNumber("arm64", "exit_group") ?? 0)), SVC];
}

/** movz and movk, 16 bits at a time. */
function setArm64(register: number, value: bigint): readonly number[] {
  return [0, 1, 2, 3].map((quarter) => {
    const bits = Number((value >> BigInt(16 * quarter)) & 0xffffn);
    return (quarter === 0 ? 0xd280_0000 : 0xf280_0000) | (quarter << 21) | (bits << 5) | register;
  });
}

function instructions(...words: readonly number[]): Uint8Array {
  return Buffer.concat(words.map((word) => word32(word)));
}

function hex(digits: string, ...rest: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat([Buffer.from(digits, "hex"), ...rest]);
}

function word32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value | 0);
  return bytes;
}

function word64(value: bigint): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}
