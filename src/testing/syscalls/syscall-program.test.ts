import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { machineCode } from "./machine-code.ts";
import { RESULT, syscallProgram, type Syscall } from "./syscall-program.ts";

const AT_FDCWD = -100;
const O_WRONLY_CREAT = 0o101;
const isHere = process.platform === "linux" && (process.arch === "x64" || process.arch === "arm64");

/** For `write(<result>, 0x1122334455667788)` and the two exits; checked by running it on arm64. */
const ARM64_WORDS = `
  aa1303e0 d28ef101 f2aaacc1 f2c66881 f2e22441 d2800808 f2a00008 f2c00008 f2e00008 d4000001 aa0003f3 b13ffc1f 54000142
  d2800000 f2a00000 f2c00000 f2e00000 d2800bc8 f2a00008 f2c00008 f2e00008 d4000001
  4b0003e0 d2800bc8 f2a00008 f2c00008 f2e00008 d4000001`;

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "syscall-program-"));
});
afterAll(() => {
  rmSync(dir, { recursive: true });
});

let count = 0;

function run(...calls: readonly Syscall[]): Promise<{ code: number; stdout: string }> {
  const file = join(dir, `program-${(count += 1)}`);
  writeFileSync(file, syscallProgram(process.arch === "arm64" ? "arm64" : "x64", calls), { mode: 0o755 });
  return new Promise((done) => {
    const child = execFile(file, (_, stdout) => {
      done({ code: child.exitCode ?? -1, stdout });
    });
  });
}

test.runIf(isHere)("a call that succeeds gives 0", async () => {
  expect(await run({ call: "getpid", args: [] })).toEqual({ code: 0, stdout: "" });
});

test.runIf(isHere)("a call that fails gives its errno, and no later call is made", async () => {
  const missing: Syscall = { call: "openat", args: [AT_FDCWD, join(dir, "missing"), 0] };
  expect(await run(missing, { call: "write", args: [1, "never", 5] })).toEqual({ code: 2, stdout: "" });
});

test.runIf(isHere)("bytes, and the result of the call before, are arguments", async () => {
  const file = join(dir, "made");
  const open: Syscall = { call: "openat", args: [AT_FDCWD, file, O_WRONLY_CREAT, 0o644] };
  const write: Syscall = { call: "write", args: [RESULT, Buffer.from("hello\0there"), 11n] };
  expect(await run(open, write)).toMatchObject({ code: 0 });
  expect(readFileSync(file, "utf8")).toBe("hello\0there");
});

test.runIf(isHere)("words hold pointers: a vector of two strings is written", async () => {
  const WRITEV = process.arch === "arm64" ? 66 : 20;
  const vector = { words: ["one ", 4, "two", 3n] };
  expect(await run({ call: WRITEV, args: [1, vector, 2] })).toEqual({ code: 0, stdout: "one two" });
});

test.runIf(isHere)("numbers fill the whole register", async () => {
  // A length that only the upper half makes impossible.
  expect(await run({ call: "write", args: [1, "x", 0x8000_0000_0000_0001n] })).toMatchObject({ stdout: "" });
  expect(await run({ call: "write", args: [-1, "x", 1] })).toEqual({ code: 9, stdout: "" });
});

test("a call that the architecture lacks, or one with seven arguments, is a mistake of ours", () => {
  expect(() => syscallProgram("arm64", [{ call: "iopl", args: [] }])).toThrow("arm64 has no system call iopl");
  expect(() => syscallProgram("x64", [{ call: "getpid", args: [1, 2, 3, 4, 5, 6, 7] }])).toThrow("six arguments");
});

test("the code for arm64 is the one that ran there", () => {
  const code = machineCode("arm64", [{ number: 64, args: [RESULT, 0x1122_3344_5566_7788n] }]);
  const words = Array.from({ length: code.length / 4 }, (_, at) =>
    Buffer.from(code)
      .readUInt32LE(at * 4)
      .toString(16),
  );
  expect(words).toEqual(ARM64_WORDS.trim().split(/\s+/));
});
