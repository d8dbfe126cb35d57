import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { FileChange, FileSide } from "../../core/change/file-change.ts";
import type { ApplyParams } from "../../ports/checkout.ts";
import { createCheckouts } from "./checkouts.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "nightshift-checkout-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

function side(text: string, kind: FileSide["kind"] = "file"): FileSide {
  return { kind, bytes: text.length, content: Buffer.from(text) };
}

function change(path: string, before: FileSide | null, after: FileSide | null): FileChange {
  return { path, before, after };
}

const apply = (changes: readonly FileChange[], options: Partial<ApplyParams> = {}) =>
  createCheckouts().apply({ root, changes, force: false, dryRun: false, ...options });
const modeOf = async (path: string) => (await lstat(join(root, path))).mode & 0o777;
const read = (path: string) => readFile(join(root, path), "utf8");

describe("checkouts: apply", () => {
  test("creates, changes and deletes files, and a second time changes nothing", async () => {
    await writeFile(join(root, "old.txt"), "old\n");
    await mkdir(join(root, "gone"));
    await writeFile(join(root, "gone/a.txt"), "a\n");
    const changes = [
      change("gone/a.txt", side("a\n"), null),
      change("old.txt", side("old\n"), side("new\n")),
      change("reports/deep/run.sh", null, side("true\n", "executable")),
      change("reports/link", null, side("deep/run.sh", "link")),
    ];
    const first = await apply(changes);
    expect(first.applied).toBe(true);
    expect(first.files.map(({ change: what }) => what)).toEqual(["deleted", "modified", "created", "created"]);
    expect(await read("old.txt")).toBe("new\n");
    expect((await lstat(join(root, "reports/deep/run.sh"))).mode & 0o100).toBe(0o100);
    expect(await readlink(join(root, "reports/link"))).toBe("deep/run.sh");
    await expect(lstat(join(root, "gone"))).rejects.toThrow("ENOENT");
    expect((await apply(changes)).files.map(({ change: what }) => what)).toEqual(Array(4).fill("unchanged"));
  });

  test("writes nothing at all if somebody changed one of the files, unless forced", async () => {
    await writeFile(join(root, "a.txt"), "mine\n");
    const changes = [change("b.txt", null, side("b\n")), change("a.txt", side("old\n"), side("new\n"))];
    const result = await apply(changes);
    expect(result).toMatchObject({
      applied: false,
      files: [{ problem: null }, { problem: "was changed since the task started" }],
    });
    await expect(read("b.txt")).rejects.toThrow("ENOENT");
    expect(await read("a.txt")).toBe("mine\n");
    expect((await apply(changes, { force: true })).applied).toBe(true);
    expect(await read("a.txt")).toBe("new\n");
  });

  test("a dry run writes nothing", async () => {
    expect(await apply([change("b.txt", null, side("b\n"))], { dryRun: true })).toMatchObject({
      applied: false,
      files: [{ path: "b.txt", change: "created", problem: null }],
    });
    await expect(read("b.txt")).rejects.toThrow("ENOENT");
  });

  test("a changed mode is a change by somebody else", async () => {
    await writeFile(join(root, "a.sh"), "old\n");
    await chmod(join(root, "a.sh"), 0o755);
    expect((await apply([change("a.sh", side("old\n"), side("new\n"))])).applied).toBe(false);
  });
});

describe("checkouts: unusual changes", () => {
  test("a file becomes a directory and a directory becomes a file", async () => {
    await writeFile(join(root, "one"), "one\n");
    await mkdir(join(root, "two/deep"), { recursive: true });
    await writeFile(join(root, "two/deep/a"), "a\n");
    const changes = [
      change("one/file", null, side("new\n")),
      change("one", side("one\n"), null),
      change("two", null, side("two\n")),
      change("two/deep/a", side("a\n"), null),
    ];
    expect(await apply(changes)).toMatchObject({ applied: true });
    expect([await read("one/file"), await read("two")]).toEqual(["new\n", "two\n"]);
    expect(await apply(changes)).toMatchObject({ applied: true });
  });

  test.each([
    ["a file that is not part of the change", async () => writeFile(join(root, "two/mine"), "")],
    ["an empty directory", async () => mkdir(join(root, "two/mine"))],
  ])("a directory does not become a file if it also contains %s", async (_what, make) => {
    await mkdir(join(root, "two"));
    await writeFile(join(root, "two/a"), "a\n");
    await make();
    const changes = [change("two", null, side("two\n")), change("two/a", side("a\n"), null)];
    const { applied, files } = await apply(changes, { force: true });
    expect([applied, files[0]?.problem]).toEqual([false, "is a directory here"]);
    expect(await read("two/a")).toBe("a\n");
  });

  test("a private file stays private, and only the executable bit changes", async () => {
    for (const name of ["a", "b"]) await writeFile(join(root, name), "old\n", { mode: 0o600 });
    await apply([change("a", side("old\n"), side("new\n")), change("b", side("old\n"), side("old\n", "executable"))]);
    expect([await modeOf("a"), await modeOf("b")]).toEqual([0o600, 0o700]);
    await apply([change("b", side("old\n", "executable"), side("old\n"))]);
    expect(await modeOf("b")).toBe(0o600);
  });

  test.each(["line\nbreak", `"quotes' and $(x)`, "-rf", "ünï/ço dé", " leading and trailing "])(
    "a file named %j is created, changed and deleted like every other",
    async (name) => {
      expect(await apply([change(name, null, side("1"))])).toMatchObject({ applied: true });
      expect(await apply([change(name, side("1"), side("2"))])).toMatchObject({ applied: true });
      expect(await read(name)).toBe("2");
      expect(await apply([change(name, side("2"), null)])).toMatchObject({ applied: true });
      await expect(read(name)).rejects.toThrow("ENOENT");
    },
  );

  test("a huge file that somebody made meanwhile is not read to compare it", async () => {
    await writeFile(join(root, "a"), "");
    await truncate(join(root, "a"), 2 ** 40);
    expect(await apply([change("a", side("old\n"), side("new\n"))])).toMatchObject({ applied: false });
  });

  test("bytes that are not text are written as they are", async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    await apply([change("bytes", null, { kind: "file", bytes: 256, content: bytes })]);
    expect(await readFile(join(root, "bytes"))).toEqual(bytes);
  });
});

test("checkouts: removes empty placeholders of a sandbox, but nothing that has content or that a person made", async () => {
  for (const name of [".git", ".nightshift"]) await mkdir(join(root, name));
  await writeFile(join(root, ".nightshift/instructions.md"), "");
  await writeFile(join(root, "left.yaml"), "", { mode: 0o444 });
  await writeFile(join(root, "mine.yaml"), "");
  await writeFile(join(root, "full.yaml"), "x", { mode: 0o444 });
  const names = [".git", ".nightshift", "left.yaml", "mine.yaml", "full.yaml", "missing"];
  await createCheckouts().removePlaceholders(root, names);
  expect((await readdir(root)).toSorted()).toEqual([".nightshift", "full.yaml", "mine.yaml"]);
});

describe("checkouts: never writes", () => {
  test.each<[string, FileChange, string]>([
    ["through a link to a directory", change("link/x.txt", null, side("x")), "is below link, which is a link"],
    ["over a directory", change("dir", null, side("x")), "is a directory here"],
  ])("%s, nor any other file of the change, not even if forced", async (_what, wanted, problem) => {
    const outside = await mkdtemp(join(tmpdir(), "nightshift-outside-"));
    try {
      await symlink(outside, join(root, "link"));
      await mkdir(join(root, "dir"));
      const result = await apply([change("fine.txt", null, side("x")), wanted], { force: true });
      expect(result.applied).toBe(false);
      expect(result.files[1]?.problem).toContain(problem);
      await expect(read("fine.txt")).rejects.toThrow("ENOENT");
      await expect(lstat(join(outside, "x.txt"))).rejects.toThrow("ENOENT");
    } finally {
      await rm(outside, { recursive: true });
    }
  });

  test.each<[string, FileChange, string]>([
    ["git's own data", change(".git/hooks/pre-commit", null, side("x")), "is git's own data"],
    ["git's own data in other letters", change("sub/.GIT/config", null, side("x")), "is git's own data"],
    ["a link that leads out", change("out", null, side("../../etc/passwd", "link")), "leads out of the directory"],
    ["an absolute link", change("out", null, side("/etc/passwd", "link")), "leads out of the directory"],
    ["a submodule", change("module", null, { kind: "submodule", bytes: 0, content: null }), "is a submodule"],
    ["a file that was not read", change("big", null, { kind: "file", bytes: 1e9, content: null }), "is too large"],
    ["a name that is not text", change(String.raw`a\xff`, null, side("x")), "has a name that is not text"],
  ])("%s, but if forced the other files of the change", async (_what, wanted, problem) => {
    const changes = [change("fine.txt", null, side("x")), wanted];
    expect((await apply(changes)).applied).toBe(false);
    expect(await readdir(root)).toEqual([]);
    const { applied, files } = await apply(changes, { force: true });
    expect([applied, files[0]?.problem]).toEqual([true, null]);
    expect(files[1]?.problem).toContain(problem);
    expect(await readdir(root)).toEqual(["fine.txt"]);
  });

  test("a file that is a link here is replaced, and its target stays as it is", async () => {
    await writeFile(join(root, "target.txt"), "target\n");
    await symlink("target.txt", join(root, "a.txt"));
    expect((await apply([change("a.txt", side("old\n"), side("new\n"))])).applied).toBe(false);
    await apply([change("a.txt", side("old\n"), side("new\n"))], { force: true });
    expect([await read("target.txt"), await read("a.txt")]).toEqual(["target\n", "new\n"]);
  });
});
