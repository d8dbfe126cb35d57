import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { measureDisk } from "./disk-usage.ts";

const MB = 1024 * 1024;
let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "disk-usage-"));
});

afterEach(() => {
  // Node cannot remove paths that are too deep.
  execFileSync("rm", ["-rf", dir]);
});

const measure = (...dirs: string[]) => measureDisk({ dirs, limitBytes: Infinity });

it("disk usage: counts blocks and files of all directories, nested ones once", async () => {
  mkdirSync(join(dir, "a/b"), { recursive: true });
  writeFileSync(join(dir, "a/b/one"), Buffer.alloc(MB, 1));
  writeFileSync(join(dir, "a/two"), Buffer.alloc(MB, 1));
  const whole = await measure(dir);
  expect(whole).toMatchObject({ files: 5 });
  expect(whole.bytes).toBeGreaterThanOrEqual(2 * MB);
  expect(whole.bytes).toBeLessThan(2 * MB + 64 * 1024);
  expect(await measure(dir, join(dir, "a"), dir)).toEqual(whole);
  expect(await measure(join(dir, "nowhere"))).toMatchObject({ bytes: 0, files: 0 });
});

it("disk usage: follows no links, counts hard links once and holes not at all", async () => {
  const outside = mkdtempSync(join(tmpdir(), "disk-outside-"));
  writeFileSync(join(outside, "big"), Buffer.alloc(4 * MB, 1));
  symlinkSync(outside, join(dir, "link"));
  symlinkSync(join(outside, "big"), join(dir, "file-link"));
  symlinkSync(dir, join(dir, "loop"));
  writeFileSync(join(dir, "first"), Buffer.alloc(MB, 1));
  linkSync(join(dir, "first"), join(dir, "second"));
  writeFileSync(join(dir, "sparse"), "");
  truncateSync(join(dir, "sparse"), 1024 * MB);
  const { bytes, files } = await measure(dir);
  rmSync(outside, { recursive: true });
  expect(files).toBe(6);
  expect(bytes).toBeGreaterThanOrEqual(MB);
  expect(bytes).toBeLessThan(MB + 64 * 1024);
});

it("disk usage: counts empty files and files with names that are not valid text", async () => {
  for (let index = 0; index < 50; index++) writeFileSync(join(dir, `empty-${index}`), "");
  writeFileSync(Buffer.concat([Buffer.from(`${dir}/`), Buffer.from([0xff, 0xfe])]), Buffer.alloc(MB, 1));
  const { bytes, files } = await measure(dir);
  expect(files).toBe(52);
  expect(bytes).toBeGreaterThanOrEqual(MB + 50 * 4096);
});

it("disk usage: stops at the limit or when aborted", async () => {
  for (let index = 0; index < 100; index++) writeFileSync(join(dir, `${index}`), "x".repeat(4096));
  const over = await measureDisk({ dirs: [dir], limitBytes: 20 * 4096 });
  expect(over.files).toBeLessThan(30);
  expect((await measureDisk({ dirs: [dir], limitBytes: Infinity, timeoutMs: -1 })).files).toBe(1);
  const aborted = await measureDisk({ dirs: [dir], limitBytes: Infinity, signal: AbortSignal.abort() });
  expect(aborted.files).toBe(1);
});

it.skipIf(!existsSync("/usr/bin/bwrap"))("disk usage: does not enter other file systems", () => {
  const mounted = join(dir, "mounted");
  mkdirSync(mounted);
  writeFileSync(join(dir, "here"), Buffer.alloc(MB, 1));
  const script = `
    import { writeFileSync } from "node:fs";
    import { measureDisk } from ${JSON.stringify(join(import.meta.dirname, "disk-usage.ts"))};
    writeFileSync(${JSON.stringify(join(mounted, "there"))}, Buffer.alloc(4 * ${MB}, 1));
    const measure = async (...dirs) => (await measureDisk({ dirs, limitBytes: Infinity })).bytes;
    console.log(JSON.stringify([await measure(${JSON.stringify(dir)}), await measure(${JSON.stringify(mounted)})]));
  `;
  const argv = ["--dev-bind", "/", "/", "--tmpfs", mounted, process.execPath, "--input-type=module", "-e", script];
  const [around, inside] = JSON.parse(execFileSync("bwrap", argv, { encoding: "utf8" }));
  expect(around).toBeLessThan(2 * MB);
  expect(inside).toBeGreaterThan(4 * MB);
});

// Root may read everything.
it.skipIf(process.getuid?.() === 0)("disk usage: skips unreadable directories", async () => {
  mkdirSync(join(dir, "closed"));
  chmodSync(join(dir, "closed"), 0);
  expect(await measure(dir)).toMatchObject({ files: 2 });
  chmodSync(join(dir, "closed"), 0o700);
});

it("disk usage: handles directories deeper than the path limit", async () => {
  const dig = `for (let i = 0; i < 30; i++) { fs.mkdirSync("d".repeat(200)); process.chdir("d".repeat(200)); }`;
  execFileSync(process.execPath, ["-e", dig], { cwd: dir });
  const { files } = await measure(dir);
  expect(files).toBeGreaterThan(10);
  expect(files).toBeLessThan(25);
});

it("disk usage: does not block the event loop", async () => {
  for (let folder = 0; folder < 8; folder++) {
    mkdirSync(join(dir, `${folder}`));
    for (let file = 0; file < 1000; file++) writeFileSync(join(dir, `${folder}`, `${file}`), "");
  }
  let longestMs = 0;
  let turns = 0;
  // The processor time of this thread, because on a busy machine the other processes add to the wall time.
  let last = process.threadCpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(last);
    longestMs = Math.max(longestMs, (user + system) / 1000);
    last = process.threadCpuUsage();
    turns++;
  }, 1);
  const { files } = await measure(dir);
  clearInterval(timer);
  expect(files).toBe(8_009);
  expect(turns).toBeGreaterThan(1);
  expect(longestMs).toBeLessThan(150);
});
