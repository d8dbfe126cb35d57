import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { setImmediate } from "node:timers/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { UserError } from "../../core/text/errors.ts";
import type { FileRecord, RecordedChanges, Snapshot } from "../../ports/file-record.ts";
import { removeTree } from "../git/workspace/remove-tree.ts";
import { createFileRecord } from "./file-record.ts";
import { performCompare, performRead, performSnapshot } from "./perform.ts";
import { createRunRecord } from "./run-record.ts";
import { walk } from "./walk.ts";

/** Does the work of the threads directly, without the time to start them. */
const snapshots: Pick<FileRecord, "snapshot" | "compare"> = {
  snapshot: async (params) => performSnapshot(params),
  compare: async (one, other) => performCompare(one, other),
};
const record: Omit<FileRecord, "describe"> = {
  ...snapshots,
  ...createRunRecord(snapshots, async (params) => performRead(params)),
};
let root: string;
let dir: string;
let before: string;
let after: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "nightshift-record-"));
  dir = join(root, "dir");
  before = join(root, "before");
  after = join(root, "after");
  mkdirSync(dir);
});
afterEach(() => removeTree(root));

const at = (name: string): string => join(dir, name);
const sha = (text: string): string => createHash("sha256").update(text).digest("hex");
const first = (): Promise<Snapshot> => record.snapshot({ dir, keep: before, since: null });

async function changes(): Promise<RecordedChanges> {
  await record.snapshot({ dir, keep: after, since: before });
  return await record.compare(before, after);
}

const NOTHING = { created: [], modified: [], deleted: [], unread: [] };

/** Makes the files look much older than the snapshot. */
function age(file: string): void {
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace(/"at":\d+/, `"at":${Date.now() + 60_000}`));
}

describe("file record: changes", () => {
  test("include created, modified and deleted files, with sizes and hashes of both sides", async () => {
    mkdirSync(at("sub"));
    writeFileSync(at("sub/kept"), "kept");
    writeFileSync(at("sub/changed"), "old");
    writeFileSync(at("gone"), "gone");
    expect(await first()).toEqual({ files: 3, hashed: 3, unread: [] });
    writeFileSync(at("sub/changed"), "newer");
    writeFileSync(at("z"), "z");
    writeFileSync(at("a"), "");
    rmSync(at("gone"));
    expect(await changes()).toEqual({
      created: [
        { path: "a", after: { kind: "file", size: 0, mode: 0o644, sha256: sha("") } },
        { path: "z", after: { kind: "file", size: 1, mode: 0o644, sha256: sha("z") } },
      ],
      modified: [
        {
          path: "sub/changed",
          before: { kind: "file", size: 3, mode: 0o644, sha256: sha("old") },
          after: { kind: "file", size: 5, mode: 0o644, sha256: sha("newer") },
        },
      ],
      deleted: [{ path: "gone", before: { kind: "file", size: 4, mode: 0o644, sha256: sha("gone") } }],
      unread: [],
    });
  });

  test("are empty if nothing was done, or if it was undone", async () => {
    writeFileSync(at("same"), "same");
    writeFileSync(at("rewritten"), "text");
    await first();
    rmSync(at("rewritten"));
    writeFileSync(at("rewritten"), "text");
    chmodSync(at("same"), 0o600);
    chmodSync(at("same"), 0o644);
    expect(await changes()).toEqual(NOTHING);
  });

  test("include content with unchanged size and times", async () => {
    writeFileSync(at("file"), "aaaa");
    const { atime, mtime, size } = statSync(at("file"));
    await first();
    age(before);
    writeFileSync(at("file"), "bbbb");
    utimesSync(at("file"), atime, mtime);
    expect([statSync(at("file")).mtimeMs, statSync(at("file")).size]).toEqual([mtime.getTime(), size]);
    expect((await changes()).modified).toMatchObject([
      { before: { sha256: sha("aaaa") }, after: { sha256: sha("bbbb") } },
    ]);
  });

  test("include permissions, also setuid", async () => {
    writeFileSync(at("file"), "x");
    await first();
    chmodSync(at("file"), 0o4755);
    expect((await changes()).modified).toMatchObject([
      { before: { mode: 0o644, sha256: sha("x") }, after: { mode: 0o4755, sha256: sha("x") } },
    ]);
  });

  test("include targets of links, but never the files behind them", async () => {
    mkdirSync(join(root, "outside"));
    writeFileSync(join(root, "outside/file"), "1");
    symlinkSync(join(root, "outside"), at("dir"));
    symlinkSync("nowhere", at("link"));
    symlinkSync(".", at("loop"));
    expect((await first()).files).toBe(3);
    writeFileSync(join(root, "outside/file"), "2");
    rmSync(at("link"));
    symlinkSync("elsewhere", at("link"));
    const found = await changes();
    expect(found).toMatchObject({ created: [], deleted: [] });
    expect(found.modified).toMatchObject([
      {
        path: "link",
        before: { kind: "link", sha256: sha("nowhere") },
        after: { kind: "link", sha256: sha("elsewhere") },
      },
    ]);
  });

  test("include kinds: a file that becomes a link, a pipe or a directory", async () => {
    for (const name of ["link", "pipe", "directory"]) writeFileSync(at(name), "target");
    await first();
    for (const name of ["link", "pipe", "directory"]) rmSync(at(name));
    symlinkSync("target", at("link"));
    execFileSync("mkfifo", [at("pipe")]);
    mkdirSync(at("directory"));
    writeFileSync(at("directory/inside"), "");
    const found = await changes();
    expect(found.modified.map(({ path, after: { kind, sha256 } }) => [path, kind, sha256])).toEqual([
      ["link", "link", sha("target")],
      ["pipe", "other", null],
    ]);
    expect(found.deleted.map(({ path }) => path)).toEqual(["directory"]);
    expect(found.created.map(({ path }) => path)).toEqual(["directory/inside"]);
  });

  test("include git directories, ignored files and hard links", async () => {
    mkdirSync(at("sub/.git/hooks"), { recursive: true });
    writeFileSync(at(".gitignore"), "*");
    writeFileSync(at("one"), "1");
    linkSync(at("one"), at("two"));
    await first();
    writeFileSync(at("sub/.git/hooks/post-checkout"), "#!/bin/sh\n");
    writeFileSync(at("one"), "2");
    const found = await changes();
    expect(found.created.map(({ path }) => path)).toEqual(["sub/.git/hooks/post-checkout"]);
    expect(found.modified.map(({ path }) => path)).toEqual(["one", "two"]);
  });

  test("include names that are not valid text, and names with newlines and quotes", async () => {
    const odd = Buffer.concat([Buffer.from(`${dir}/`), Buffer.from([0xff, 0x41])]);
    writeFileSync(odd, "1");
    writeFileSync(at('a\n"b\\'), "1");
    writeFileSync(at("ü🦉"), "1");
    await first();
    writeFileSync(odd, "2");
    writeFileSync(at('a\n"b\\'), "2");
    writeFileSync(at("ü🦉"), "2");
    expect((await changes()).modified.map(({ path }) => path)).toEqual(['a\n"b\\', "ü🦉", "\uFFFDA"]);
  });

  test("show a renamed file as deleted and created with the same hash", async () => {
    writeFileSync(at("old"), "same");
    await first();
    renameSync(at("old"), at("new"));
    const found = await changes();
    expect([found.deleted[0]?.before.sha256, found.created[0]?.after.sha256]).toEqual([sha("same"), sha("same")]);
  });
});

describe("file record: reading", () => {
  test("skips unchanged files, but reads recently changed ones again", async () => {
    for (const name of ["a", "b"]) writeFileSync(at(name), "same");
    await first();
    // A wrong hash in the snapshot shows whether the file was read.
    writeFileSync(before, readFileSync(before, "utf8").replaceAll(sha("same"), sha("kept")));
    expect(await record.snapshot({ dir, keep: after, since: before })).toMatchObject({ hashed: 2 });
    expect(readFileSync(after, "utf8")).not.toContain(sha("kept"));
    rmSync(after);
    age(before);
    expect(await record.snapshot({ dir, keep: after, since: before })).toMatchObject({ files: 2, hashed: 0 });
    expect(readFileSync(after, "utf8")).toContain(sha("kept"));
  });

  test("hashes large files in pieces, skips a file of 50 GB, and still detects its change", async () => {
    const large = "0123456789abcdef".repeat(200_000);
    writeFileSync(at("large"), large);
    writeFileSync(at("huge"), "");
    truncateSync(at("huge"), 50 * 2 ** 30);
    await first();
    utimesSync(at("huge"), 1, 1);
    expect((await changes()).modified).toMatchObject([
      { path: "huge", before: { sha256: null }, after: { sha256: null } },
    ]);
    expect(readFileSync(after, "utf8")).toContain(sha(large));
  });

  // Root may read everything.
  test.skipIf(process.getuid?.() === 0)(
    "reports unreadable directories, and does not treat their files as deleted",
    async () => {
      mkdirSync(at("closed"));
      writeFileSync(at("closed/file"), "1");
      writeFileSync(at("secret"), "1");
      await first();
      chmodSync(at("closed"), 0);
      chmodSync(at("secret"), 0);
      const found = await changes();
      chmodSync(at("closed"), 0o700);
      expect(found).toMatchObject({ created: [], deleted: [], unread: [{ path: "closed", why: "is not readable" }] });
      expect(found.modified).toMatchObject([{ path: "secret", after: { mode: 0, sha256: null } }]);
    },
  );

  test("reports paths that are too deep, and does not treat them as deleted", async () => {
    let inner = join(root, "start");
    mkdirSync(inner);
    writeFileSync(join(inner, "file"), "deep");
    for (let level = 0; level < 25; level++) {
      const outer = join(root, `${"d".repeat(200)}${level}`);
      mkdirSync(outer);
      renameSync(inner, join(outer, "d".repeat(200)));
      inner = outer;
    }
    renameSync(inner, at("top"));
    const { files, unread } = await first();
    expect(files).toBe(0);
    expect(unread).toEqual([{ path: expect.stringMatching(/^top/), why: "is deeper than the path limit" }]);
  });

  test("ignores files that disappear during the walk, and does not block the event loop", async () => {
    for (let index = 0; index < 500; index++) writeFileSync(at(`file${index}`), "x");
    const taking = createFileRecord().snapshot({ dir, keep: before, since: null });
    for (let index = 0; index < 500; index++) {
      await setImmediate();
      rmSync(at(`file${index}`));
    }
    const { files } = await taking;
    expect(files).toBeLessThanOrEqual(500);
    expect(performCompare(before, before)).toEqual(NOTHING);
  });

  test("rejects too many files with a clear message", () => {
    for (const name of ["a", "b", "c"]) writeFileSync(at(name), "");
    expect(walk(dir, 3).files).toHaveLength(3);
    expect(() => walk(dir, 2)).toThrow(
      expect.objectContaining({ kind: "invalid", message: expect.stringContaining("more than 2 files") as string }),
    );
  });
});

describe("file record: a stored snapshot", () => {
  test("is kept when it is requested again, also after a restart", async () => {
    writeFileSync(at("file"), "1");
    const taken = await first();
    writeFileSync(at("file"), "2");
    const again = await createFileRecord().snapshot({ dir, keep: before, since: null });
    expect(again).toEqual(taken);
    expect((await changes()).modified).toHaveLength(1);
    expect([statSync(before).mode & 0o777, existsSync(`${before}.new`)]).toEqual([0o600, false]);
  });

  test("is taken again if the earlier call crashed half-way", async () => {
    writeFileSync(at("file"), "1");
    writeFileSync(`${before}.new`, "half");
    expect(await first()).toMatchObject({ files: 1 });
  });

  test.each([
    ["cut", (text: string) => text.slice(0, text.lastIndexOf("\n", text.length - 2) + 1), /not a complete file record/],
    ["something else", () => "{}\n", /not a complete file record/],
    ["no JSON", () => "x", /not a complete file record/],
    ["of a later version", (text: string) => text.replace('"version":1', '"version":2'), /another version/],
  ])("is rejected if it is %s", async (_, damage, message) => {
    writeFileSync(at("file"), "1");
    await first();
    writeFileSync(before, damage(readFileSync(before, "utf8")));
    await expect(changes()).rejects.toMatchObject({
      kind: "unavailable",
      message: expect.stringMatching(message) as string,
    });
  });

  test("is reported if it or its directory is missing, also from a thread", async () => {
    await expect(createFileRecord().compare(before, after)).rejects.toThrow(UserError);
    await expect(record.compare(before, after)).rejects.toMatchObject({ kind: "not_found" });
    const params = { dir: at("none"), keep: before, since: null };
    await expect(createFileRecord().snapshot(params)).rejects.toMatchObject({ code: "ENOENT" });
    expect(existsSync(before)).toBe(false);
  });
});

const keep = (): string => join(root, "record");

const names = async (): Promise<unknown> =>
  (await record.finish(keep()))?.map(({ name, changes: found, problem }) => [
    name,
    found?.created.map(({ path }) => path) ?? null,
    problem,
  ]);

describe("file record of a run", () => {
  test("compares each directory with the state before the first start", async () => {
    mkdirSync(at("one"));
    mkdirSync(at("two"));
    const directories = [
      { path: at("one"), name: "one" },
      { path: at("two"), name: "/two" },
    ];
    await record.start(keep(), directories);
    writeFileSync(at("one/a"), "");
    await record.start(keep(), directories);
    writeFileSync(at("two/b"), "");
    expect(await names()).toEqual([
      ["one", ["a"], null],
      ["/two", ["b"], null],
    ]);
  });

  test("finds the same changes again after a crash", async () => {
    await record.start(keep(), [{ path: dir, name: "" }]);
    writeFileSync(at("a"), "");
    await record.finish(keep());
    writeFileSync(at("later"), "");
    expect(await names()).toEqual([["", ["a"], null]]);
  });

  test("reports directories that are missing, removed or replaced by a link", async () => {
    mkdirSync(at("gone"));
    mkdirSync(at("replaced"));
    mkdirSync(join(root, "outside"));
    await record.start(
      keep(),
      ["missing", "gone", "replaced"].map((name) => ({ path: at(name), name })),
    );
    rmSync(at("gone"), { recursive: true });
    rmSync(at("replaced"), { recursive: true });
    symlinkSync(join(root, "outside"), at("replaced"));
    writeFileSync(join(root, "outside/file"), "");
    expect(await names()).toEqual([
      ["missing", null, "It does not exist."],
      ["gone", null, "It does not exist."],
      ["replaced", null, "It is no longer a directory."],
    ]);
  });

  test("is null for a run that was not recorded", async () => {
    expect(await record.finish(keep())).toBeNull();
  });

  test("keeps the reason of a snapshot that failed before the run", async () => {
    writeFileSync(at("file"), "");
    await record.start(keep(), [{ path: at("file"), name: "file" }]);
    expect(await names()).toEqual([["file", null, expect.stringContaining("ENOTDIR")]]);
  });
});
