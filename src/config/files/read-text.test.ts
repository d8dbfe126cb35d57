import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readText } from "./read-text.ts";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "nightshift-read-"));
  await mkdir(join(dir, "repo"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const read = (): Promise<string | null> => readText(join(dir, "repo", "file"), join(dir, "repo"));
const write = (content: string | Buffer): Promise<void> => writeFile(join(dir, "repo", "file"), content);

describe("readText", () => {
  it("distinguishes a missing file from an empty one", async () => {
    expect(await read()).toBeNull();
    await write("");
    expect(await read()).toBe("");
  });

  it.each([
    ["a NUL byte", Buffer.from("a\0b"), /NUL byte/],
    ["bytes that are no UTF-8", Buffer.from([0x61, 0xff, 0xfe]), /is not UTF-8/],
    ["more than a megabyte", "x".repeat(1_000_001), /1000001 bytes; allowed: at most 1000000/],
  ])("refuses %s", async (_, content, problem) => {
    await write(content);
    await expect(read()).rejects.toThrow(problem);
  });

  it("follows a link inside the repository but not out of it", async () => {
    await writeFile(join(dir, "repo", "inside"), "mine");
    await symlink("inside", join(dir, "repo", "file"));
    expect(await read()).toBe("mine");
    await rm(join(dir, "repo", "file"));
    await writeFile(join(dir, "secret"), "theirs");
    await symlink("../secret", join(dir, "repo", "file"));
    await expect(read()).rejects.toThrow(/outside the repository/);
  });

  it("refuses broken and circular links, folders and named pipes", async () => {
    const file = join(dir, "repo", "file");
    await symlink("nowhere", file);
    await expect(read()).rejects.toThrow(/cannot be read \(ENOENT\)/);
    await rm(file);
    await symlink("file", file);
    await expect(read()).rejects.toThrow(/cannot be read \(ELOOP\)/);
    await rm(file);
    await mkdir(file);
    await expect(read()).rejects.toThrow(/not a regular file/);
    await rm(file, { recursive: true });
    execFileSync("sh", ["-c", 'mkfifo "$0"', file]);
    await expect(read()).rejects.toThrow(/not a regular file/);
  });

  // Root may read everything.
  it.skipIf(process.getuid?.() === 0)("reports a file without read permission", async () => {
    await write("x");
    await chmod(join(dir, "repo", "file"), 0);
    await expect(read()).rejects.toThrow(/cannot be read \(EACCES\)/);
  });
});
