import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { assembleBpf, jumpIf, label, returnValue } from "./bpf.ts";
import { REFUSED, seccompFilter } from "./seccomp.ts";
import { NEWEST_KNOWN_SYSCALL, SYSCALL_NAMES, syscallNumber, type Arch, type SyscallName } from "./syscall-numbers.ts";

const ARCHES = ["x64", "arm64"] as const;
const AUDIT: Record<Arch, number> = { x64: 0xc000003e, arm64: 0xc00000b7 };
const AUDIT_I386 = 0x40000003;
const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const EPERM = 0x00050001;
const EINVAL = 0x00050016;
const ENOSYS = 0x00050026;

interface Call {
  readonly audit?: number;
  readonly number: number;
  readonly args?: readonly bigint[];
}

/** Interprets the filter like the kernel, instruction by instruction. */
function judge(filter: Uint8Array, { audit = 0, number, args = [] }: Call): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number >>> 0, 0);
  data.writeUInt32LE(audit, 4);
  args.forEach((arg, index) => data.writeBigUInt64LE(BigInt.asUintN(64, arg), 16 + 8 * index));
  const program = Buffer.from(filter);
  let word = 0;
  for (let at = 0; ; at += 1) {
    if (at * 8 >= program.length) throw new Error(`the filter has no return before ${at}`);
    const operand = program.readUInt32LE(at * 8 + 4);
    const jump = (holds: boolean): number => program.readUInt8(at * 8 + (holds ? 2 : 3));
    switch (program.readUInt16LE(at * 8)) {
      case 0x20:
        word = data.readUInt32LE(operand);
        break;
      case 0x15:
        at += jump(word === operand);
        break;
      case 0x35:
        at += jump(word >= operand);
        break;
      case 0x45:
        at += jump((word & operand) !== 0);
        break;
      case 0x06:
        return operand;
      default:
        throw new Error(`unknown instruction at ${at}`);
    }
  }
}

const RULES = { executes: true, sharedBytes: 4096 * 10_000 };

function judgeCall(arch: Arch, name: SyscallName, ...args: readonly (bigint | number)[]): number {
  const number = syscallNumber(arch, name);
  if (number === null) throw new Error(`${arch} has no ${name}`);
  return judge(seccompFilter(arch, RULES), { audit: AUDIT[arch], number, args: args.map(BigInt) });
}

describe.each(ARCHES)("seccomp filter for %s", (arch) => {
  const filter = seccompFilter(arch, RULES);

  test("is a valid program for the kernel", () => {
    expect(filter.length % 8).toBe(0);
    expect(filter.length / 8).toBeLessThan(4096);
    for (let at = 0; at < filter.length; at += 8) {
      const left = (filter.length - at) / 8 - 1;
      const isJump = [0x15, 0x35, 0x45].includes(filter[at] ?? 0);
      if (isJump) expect(Math.max(filter[at + 2] ?? 0, filter[at + 3] ?? 0)).toBeLessThan(left);
    }
  });

  test("refuses every listed call with any arguments, and no other call", () => {
    const judged = [
      "clone",
      "clone3",
      "io_setup",
      "personality",
      "socket",
      "socketpair",
      "ioctl",
      "close_range",
    ] as const;
    const known = new Set(judged.map((name) => syscallNumber(arch, name)));
    const refused = new Set(REFUSED.map((name) => syscallNumber(arch, name)));
    const wrong: number[] = [];
    for (let number = 0; number <= NEWEST_KNOWN_SYSCALL; number += 1) {
      if (known.has(number)) continue;
      for (const args of [[], [1n, 2n, 3n, 4n, 5n, 6n]]) {
        const wanted = refused.has(number) ? EPERM : ALLOW;
        if (judge(filter, { audit: AUDIT[arch], number, args }) !== wanted) wrong.push(number);
      }
    }
    expect(wrong).toEqual([]);
    expect(refused.size).toBeGreaterThan(40);
  });

  test("kills processes that use another architecture", () => {
    const other = arch === "x64" ? AUDIT.arm64 : AUDIT.x64;
    for (const audit of [AUDIT_I386, other, 0]) expect(judge(filter, { audit, number: 39 })).toBe(KILL);
  });

  test("reports calls of newer kernels, clone3 and io_setup as unknown", () => {
    for (const number of [NEWEST_KNOWN_SYSCALL + 1, 467, 1000, 0x3fffffff])
      expect(judge(filter, { audit: AUDIT[arch], number })).toBe(ENOSYS);
    expect(judgeCall(arch, "clone3")).toBe(ENOSYS);
    expect(judgeCall(arch, "io_setup")).toBe(ENOSYS);
  });

  test("allows processes and threads, but no new namespaces", () => {
    const FORK = 0x01200011;
    const THREAD = 0x003d0f00;
    expect([judgeCall(arch, "clone", FORK), judgeCall(arch, "clone", THREAD)]).toEqual([ALLOW, ALLOW]);
    for (const bit of [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000])
      expect(judgeCall(arch, "clone", FORK | bit)).toBe(EPERM);
  });

  test("refuses threads with their own file table", () => {
    const WITHOUT_FILES = 0x003d0b00;
    expect(judgeCall(arch, "clone", WITHOUT_FILES)).toBe(EPERM);
    const CLOEXEC = 4;
    expect([0, CLOEXEC, 2, 2 | CLOEXEC].map((flags) => judgeCall(arch, "close_range", 3, 9, flags))).toEqual([
      ALLOW,
      ALLOW,
      ENOSYS,
      ENOSYS,
    ]);
  });

  test("refuses leases on files, and no other command of fcntl", () => {
    const commands = { F_DUPFD: 0, F_SETLK: 6, F_OFD_SETLK: 37, F_SETLEASE: 1024, F_GETLEASE: 1025, F_ADD_SEALS: 1033 };
    const refused = Object.entries(commands).filter(([, command]) => judgeCall(arch, "fcntl", 3, command) !== ALLOW);
    expect(refused).toEqual([["F_SETLEASE", 1024]]);
    expect(judgeCall(arch, "fcntl", 3, (1n << 32n) + 1024n)).toBe(EINVAL);
  });

  test("limits System V shared memory and semaphores, also with unusual size values", () => {
    const segments = [0n, 1n, 10_000n, 10_001n, 1n << 31n, 1n << 32n, (1n << 32n) + 1n, (1n << 64n) - 1n];
    const judged = segments.map((size) => judgeCall(arch, "shmget", 0, size, 0o1600));
    expect(judged).toEqual([ALLOW, ALLOW, ALLOW, EINVAL, EINVAL, EINVAL, EINVAL, EINVAL]);
    expect([0, 250, 251, -1].map((count) => judgeCall(arch, "semget", 0, count, 0))).toEqual([
      ALLOW,
      ALLOW,
      EINVAL,
      EINVAL,
    ]);
  });

  test.each([
    ["unix", 1, 0, ALLOW],
    ["inet", 2, 6, ALLOW],
    ["inet6", 10, 17, ALLOW],
    ["netlink route", 16, 0, ALLOW],
    ["netlink audit", 16, 9, EPERM],
    ["netlink netfilter", 16, 12, EPERM],
    ["packet", 17, 0, EPERM],
    ["bluetooth", 31, 0, EPERM],
    ["alg", 38, 0, EPERM],
    ["vsock", 40, 0, EPERM],
    ["xdp", 44, 0, EPERM],
    ["none", 0, 0, EPERM],
  ] as const)("sockets: %s", (_, family, protocol, wanted) => {
    expect(judgeCall(arch, "socket", family, 1, protocol)).toBe(wanted);
    // The kernel uses only 32 bits, so the filter must, too.
    expect(judgeCall(arch, "socket", 0xffff_ffff_0000_0000n | BigInt(family), 1, protocol)).toBe(wanted);
    expect(judgeCall(arch, "socketpair", family, 1, protocol)).toBe(family === 1 ? ALLOW : EPERM);
  });

  test("refuses TIOCSTI, also with high bits set", () => {
    for (const request of [0x5412n, 0x541cn]) {
      expect(judgeCall(arch, "ioctl", 0, request)).toBe(EPERM);
      expect(judgeCall(arch, "ioctl", 0, request | 0x1_0000_0000n)).toBe(EPERM);
    }
    const TCGETS = 0x5401;
    expect(judgeCall(arch, "ioctl", 0, TCGETS)).toBe(ALLOW);
    expect(judgeCall(arch, "ioctl", 0x5412, TCGETS)).toBe(ALLOW);
  });

  test("allows reading the personality, and setting it to the default only", () => {
    const READ_IMPLIES_EXEC = 0x0400000;
    const ask = [0, 0xffffffff, READ_IMPLIES_EXEC, 8].map((value) => judgeCall(arch, "personality", value));
    expect(ask).toEqual([ALLOW, ALLOW, EPERM, EPERM]);
  });
});

test("seccomp filter refuses the x32 ABI of x64", () => {
  const filter = seccompFilter("x64", RULES);
  for (const number of [0x40000000, 0x40000000 + 101, 0x40000209, 0xffffffff])
    expect(judge(filter, { audit: AUDIT.x64, number })).toBe(EPERM);
});

test("seccomp filter: a jump to a missing label, backwards or too far is an error", () => {
  expect(() => assembleBpf([jumpIf("equals", 1, "gone"), returnValue(0)])).toThrow("no such label");
  expect(() => assembleBpf([label("top"), jumpIf("equals", 1, "top"), returnValue(0)])).toThrow("spans");
  const far = [
    jumpIf("equals", 1, "end"),
    ...Array.from({ length: 256 }, () => returnValue(0)),
    label("end"),
    returnValue(1),
  ];
  expect(() => assembleBpf(far)).toThrow("spans 256 instructions");
});

/** Installed by scripts/ensure-machine.ts. Other systems may store them elsewhere. */
const HEADERS: Record<Arch, readonly string[]> = {
  x64: ["/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "/usr/include/asm/unistd_64.h"],
  arm64: ["/usr/aarch64-linux-gnu/include/asm-generic/unistd.h", "/usr/aarch64-linux-gnu/include/asm/unistd_64.h"],
};
/** Removed from newer headers, but still in older kernels. */
const RETIRED: readonly SyscallName[] = ["_sysctl", "create_module", "query_module", "lookup_dcookie", "nfsservctl"];

describe.each(ARCHES)("syscall numbers of %s", (arch) => {
  const header = HEADERS[arch].find((file) => existsSync(file));

  test.runIf(header !== undefined)("match the kernel's headers", () => {
    const text = readFileSync(header ?? "", "utf8");
    const defined = new Map(
      [...text.matchAll(/^#define __NR(?:3264)?_(\w+)\s+(\d+)$/gm)].map(([, name, number]) => [name, Number(number)]),
    );
    expect(defined.size).toBeGreaterThan(250);
    const wrong = SYSCALL_NAMES.filter((name) => {
      const found = defined.get(name) ?? null;
      return found !== syscallNumber(arch, name) && !(found === null && RETIRED.includes(name));
    });
    expect(wrong).toEqual([]);
  });
});
