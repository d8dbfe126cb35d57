import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openInside } from "./open-inside.ts";
import { removeTree } from "../workspace/remove-tree.ts";
import { readFromWorkspace } from "./read-from-workspace.ts";

let base: string;
let tree: string;
let secret: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "nightshift-read-"));
  tree = join(base, "tree");
  secret = join(base, "outside", "secret");
  mkdirSync(tree);
  mkdirSync(join(base, "outside"));
  writeFileSync(secret, "decoy");
});
afterEach(() => removeTree(base));

const read = (path: string | Buffer, maxBytes = 1000) => readFromWorkspace(tree, path, { maxBytes });
const at = (path: string): string => join(tree, path);

describe("readFromWorkspace reads", () => {
  test("a plain file up to the allowed size, also an empty one", async () => {
    mkdirSync(at("a/b"), { recursive: true });
    writeFileSync(at("a/b/c.txt"), "x".repeat(1000));
    writeFileSync(at("empty"), "");
    expect(await read("a/b/c.txt")).toEqual({ kind: "content", content: Buffer.alloc(1000, "x") });
    expect(await read("empty", 0)).toEqual({ kind: "content", content: Buffer.alloc(0) });
  });

  test.each(["with\nnewline", " ", "-rf", "ü", "...", "a\\b", "proc"])("a file with the name %j", async (name) => {
    writeFileSync(at(name), "here");
    expect(await read(name)).toMatchObject({ kind: "content" });
  });

  test("names that are not valid text", async () => {
    const name = Buffer.from([0xff, 0xfe, 0x41]);
    writeFileSync(Buffer.concat([Buffer.from(`${tree}/`), name]), "bytes");
    expect(await read(name)).toEqual({ kind: "content", content: Buffer.from("bytes") });
  });

  test("files deeper than the path limit", async () => {
    // Each directory is renamed into the next, so that no call needs the whole path.
    const names = Array.from({ length: 60 }, (_, index) => `${"d".repeat(100)}${index}`);
    let inner = join(base, "start");
    mkdirSync(inner);
    writeFileSync(join(inner, "file"), "deep");
    const path = ["start", "file"];
    for (const name of names) {
      const outer = join(base, name);
      mkdirSync(outer);
      renameSync(inner, join(outer, path[0] ?? ""));
      path.unshift(name);
      inner = outer;
    }
    renameSync(inner, at(path[0] ?? ""));
    expect(path.join("/").length).toBeGreaterThan(4096);
    expect(await read(path.join("/"))).toEqual({ kind: "content", content: Buffer.from("deep") });
  });
});

describe("readFromWorkspace rejects", () => {
  test.each(["", "/", "/etc/passwd", "..", "../outside/secret", "a/../../outside/secret", "./a", "a//b", "a/", "a\0b"])(
    "the path %j",
    async (path) => {
      expect(await read(path)).toMatchObject({ problem: "path" });
    },
  );

  test("names that are too long", async () => {
    expect(await read("n".repeat(300))).toMatchObject({ problem: "path" });
    expect(await read("n/".repeat(40_000))).toMatchObject({ problem: "path" });
  });

  test("missing files", async () => {
    writeFileSync(at("file"), "");
    expect(await read("none")).toMatchObject({ problem: "missing" });
    expect(await read("file/below")).toMatchObject({ problem: "missing" });
    expect(await readFromWorkspace(join(base, "gone"), "x", { maxBytes: 1 })).toMatchObject({ problem: "missing" });
  });

  test("a link with any target, which a plain read would follow to a secret", async () => {
    symlinkSync(secret, at("report.md"));
    symlinkSync("nowhere", at("dangling"));
    symlinkSync("/proc/self/environ", at("environ"));
    writeFileSync(at("plain"), "");
    symlinkSync("plain", at("inside"));
    expect(readFileSync(at("report.md"), "utf8")).toBe("decoy");
    for (const name of ["report.md", "dangling", "environ", "inside"])
      expect(await read(name)).toMatchObject({ problem: "link" });
  });

  test("files behind a link in a parent directory", async () => {
    symlinkSync(join(base, "outside"), at("dir"));
    symlinkSync("/proc/self", at("self"));
    mkdirSync(at("real"));
    symlinkSync(join(base, "outside"), at("real/dir"));
    expect(readFileSync(at("dir/secret"), "utf8")).toBe("decoy");
    for (const path of ["dir/secret", "self/environ", "self/root/etc/passwd", "real/dir/secret"])
      expect(await read(path)).toMatchObject({ problem: "link" });
  });

  test("a root that is a link", async () => {
    symlinkSync(join(base, "outside"), join(base, "root"));
    const found = await readFromWorkspace(join(base, "root"), "secret", { maxBytes: 100 });
    expect(found).toMatchObject({ kind: "unread" });
  });

  test("a hard link to another file", async () => {
    linkSync(secret, at("hard"));
    expect(readFileSync(at("hard"), "utf8")).toBe("decoy");
    expect(await read("hard")).toMatchObject({ problem: "hard_link" });
  });

  test("special files, without blocking", async () => {
    execFileSync("mkfifo", [at("pipe")]);
    mkdirSync(at("directory"));
    const server = createServer().listen(at("socket"));
    await once(server, "listening");
    for (const name of ["pipe", "directory", "socket"]) expect(await read(name)).toMatchObject({ problem: "special" });
    server.close();
  });

  // Only root can create one.
  test.skipIf(process.getuid?.() !== 0)("a device", async () => {
    try {
      execFileSync("mknod", [at("zero"), "c", "1", "5"], { stdio: "ignore" });
    } catch {
      // Root in a container or sandbox may not create devices.
      mkdirSync(at("zero"));
    }
    expect(await read("zero")).toMatchObject({ problem: "special" });
  });

  test("a huge sparse file and a file that is one byte too large", async () => {
    writeFileSync(at("sparse"), "");
    truncateSync(at("sparse"), 50 * 2 ** 30);
    writeFileSync(at("over"), "x".repeat(1001));
    const start = performance.now();
    expect(await read("sparse")).toMatchObject({ problem: "too_large", why: "is larger than 1000 bytes" });
    expect(await read("over")).toMatchObject({ problem: "too_large" });
    expect(performance.now() - start).toBeLessThan(2000);
  });

  // Root may read everything.
  test.skipIf(process.getuid?.() === 0)("an unreadable file", async () => {
    writeFileSync(at("closed"), "", { mode: 0 });
    expect(await read("closed")).toMatchObject({ problem: "unreadable" });
  });
});

async function openByName(path: string): Promise<string> {
  const opened = await openInside(tree, path, "names");
  if (opened.kind === "unread") return opened.problem;
  const text = await opened.handle.readFile("utf8");
  await opened.handle.close();
  return text;
}

test("readFromWorkspace without descriptors does not follow links either", async () => {
  mkdirSync(at("dir"));
  writeFileSync(at("dir/file"), "mine");
  symlinkSync(join(base, "outside"), at("link"));
  symlinkSync(secret, at("dir/secret"));
  expect(await Promise.all(["dir/file", "link/secret", "dir/secret", "dir", "none/x"].map(openByName))).toEqual([
    "mine",
    "link",
    "link",
    "special",
    "missing",
  ]);
});

describe("readFromWorkspace during concurrent changes", () => {
  test("returns a growing file completely or not at all", async () => {
    writeFileSync(at("growing"), "x".repeat(500_000));
    const reading = read("growing", 1_000_000);
    appendFileSync(at("growing"), "y");
    const found = await reading;
    if (found.kind === "content") expect(found.content.toString()).toMatch(/^x{500000}y?$/);
    else expect(found.problem).toBe("changed");
  });

  test("never follows a directory or file that is replaced by a link and back", async () => {
    mkdirSync(at("dir"));
    writeFileSync(at("dir/secret"), "mine");
    writeFileSync(at("file"), "mine");
    const outside = JSON.stringify(join(base, "outside"));
    const swap = `
      const fs = require("fs");
      process.chdir(${JSON.stringify(tree)});
      fs.symlinkSync(${outside}, "dirlink");
      fs.symlinkSync(${outside} + "/secret", "filelink");
      process.stdout.write("ready");
      for (;;) {
        fs.renameSync("dir", "dir2"); fs.renameSync("dirlink", "dir");
        fs.renameSync("file", "file2"); fs.renameSync("filelink", "file");
        fs.renameSync("dir", "dirlink"); fs.renameSync("dir2", "dir");
        fs.renameSync("file", "filelink"); fs.renameSync("file2", "file");
      }`;
    const attacker = spawn(process.execPath, ["-e", swap], { stdio: ["ignore", "pipe", "inherit"] });
    try {
      await once(attacker.stdout, "data");
      const seen = new Map<string, number>();
      const end = performance.now() + 600;
      while (performance.now() < end) {
        for (const path of ["dir/secret", "file"]) {
          const found = await read(path);
          const told = found.kind === "content" ? found.content.toString() : found.problem;
          seen.set(told, (seen.get(told) ?? 0) + 1);
        }
      }
      expect(seen.keys()).not.toContain("decoy");
      // The test proves something only if it saw both variants.
      expect([...seen.keys()]).toEqual(expect.arrayContaining(["mine", "link"]));
    } finally {
      attacker.kill("SIGKILL");
      await once(attacker, "exit");
    }
  });
});
