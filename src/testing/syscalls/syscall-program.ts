import { machineCode, RESULT, type PlainSyscall } from "./machine-code.ts";
import { syscallNumber, type Arch, type SyscallName } from "../../adapters/sandboxes/bubblewrap/syscall-numbers.ts";

export { RESULT } from "./machine-code.ts";

/** One system call with constant arguments. */
export interface Syscall {
  readonly call: SyscallName | number;
  readonly args: readonly SyscallArg[];
}

/** A number; a pointer to bytes of the program (text gets its zero byte, and calls may write there); or what the call before gave. */
export type SyscallArg = number | bigint | string | Uint8Array | SyscallWords | typeof RESULT;

/** A pointer to 64-bit words, such as an iovec, whose members may be pointers too. */
export interface SyscallWords {
  readonly words: readonly (number | bigint | string | Uint8Array)[];
}

const PAGE = 0x1_0000;
const CODE_ADDRESS = 0x40_0000n;
const DATA_ADDRESS = 0x80_0000n;
const ELF_HEADER_BYTES = 64;
const PROGRAM_HEADER_BYTES = 56;
const HEADERS_BYTES = ELF_HEADER_BYTES + 2 * PROGRAM_HEADER_BYTES;
const MACHINE: Readonly<Record<Arch, number>> = { x64: 62, arm64: 183 };

/**
 * A whole executable that makes these calls one after the other, for what a shell cannot ask of the kernel. It ends with the
 * errno of the first that fails, or with 0 when all succeed. It needs no library and no compiler.
 */
export function syscallProgram(arch: Arch, calls: readonly Syscall[]): Uint8Array {
  const memory = createMemory();
  const plain = calls.map(({ call, args }): PlainSyscall => {
    const number = typeof call === "number" ? call : syscallNumber(arch, call);
    if (number === null) throw new Error(`${arch} has no system call ${call}.`);
    return { number, args: args.map((arg) => (arg === RESULT ? arg : memory.place(arg))) };
  });
  return link(arch, machineCode(arch, plain), memory.bytes());
}

interface Memory {
  /** The value that a register gets for it. */
  place(arg: Exclude<SyscallArg, typeof RESULT>): bigint;
  bytes(): Uint8Array;
}

function createMemory(): Memory {
  const parts: Uint8Array[] = [];
  let size = 0;
  const put = (bytes: Uint8Array): bigint => {
    const address = DATA_ADDRESS + BigInt(size);
    // The kernel wants most of its structures at such addresses.
    const padded = new Uint8Array(Math.ceil(bytes.length / 16) * 16);
    padded.set(bytes);
    parts.push(padded);
    size += padded.length;
    return address;
  };
  const place: Memory["place"] = (arg) => {
    if (typeof arg === "number") return BigInt.asUintN(64, BigInt(arg));
    if (typeof arg === "bigint") return BigInt.asUintN(64, arg);
    if (typeof arg === "string") return put(Buffer.from(`${arg}\0`));
    if (arg instanceof Uint8Array) return put(arg);
    const words = Buffer.alloc(arg.words.length * 8);
    arg.words.forEach((word, index) => words.writeBigUInt64LE(place(word), index * 8));
    return put(words);
  };
  return { place, bytes: () => Buffer.concat(parts) };
}

/** Two segments, since some systems refuse memory that is both written and executed. */
function link(arch: Arch, code: Uint8Array, data: Uint8Array): Uint8Array {
  const codeEnd = HEADERS_BYTES + code.length;
  const dataStart = Math.ceil(codeEnd / PAGE) * PAGE;
  const file = Buffer.alloc(dataStart + data.length);
  Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]).copy(file);
  file.writeUInt16LE(2, 16); // an executable at fixed addresses
  file.writeUInt16LE(MACHINE[arch], 18);
  file.writeUInt32LE(1, 20);
  file.writeBigUInt64LE(CODE_ADDRESS + BigInt(HEADERS_BYTES), 24);
  file.writeBigUInt64LE(BigInt(ELF_HEADER_BYTES), 32);
  file.writeUInt16LE(ELF_HEADER_BYTES, 52);
  file.writeUInt16LE(PROGRAM_HEADER_BYTES, 54);
  file.writeUInt16LE(2, 56);
  const READ_EXECUTE = 5;
  const READ_WRITE = 6;
  segment({ flags: READ_EXECUTE, offset: 0, address: CODE_ADDRESS, size: codeEnd }).copy(file, ELF_HEADER_BYTES);
  segment({ flags: READ_WRITE, offset: dataStart, address: DATA_ADDRESS, size: data.length }).copy(
    file,
    ELF_HEADER_BYTES + PROGRAM_HEADER_BYTES,
  );
  file.set(code, HEADERS_BYTES);
  file.set(data, dataStart);
  return file;
}

interface Segment {
  readonly flags: number;
  readonly offset: number;
  readonly address: bigint;
  readonly size: number;
}

function segment({ flags, offset, address, size }: Segment): Buffer {
  const header = Buffer.alloc(PROGRAM_HEADER_BYTES);
  header.writeUInt32LE(1, 0); // to be loaded
  header.writeUInt32LE(flags, 4);
  header.writeBigUInt64LE(BigInt(offset), 8);
  header.writeBigUInt64LE(address, 16);
  header.writeBigUInt64LE(address, 24);
  header.writeBigUInt64LE(BigInt(size), 32);
  header.writeBigUInt64LE(BigInt(size), 40);
  header.writeBigUInt64LE(BigInt(PAGE), 48);
  return header;
}
