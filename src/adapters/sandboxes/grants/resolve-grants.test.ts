import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { UserError } from "../../../core/text/errors.ts";
import { resolveGrants } from "./resolve-grants.ts";

let dir: string;

beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "grants-")));
  for (const name of ["a/b/c", "d", "data/runs"]) mkdirSync(join(dir, name), { recursive: true });
  writeFileSync(join(dir, "file"), "");
});
afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

const at = (...names: string[]) => names.map((name) => join(dir, name));
const resolveAt = (write: readonly string[], read: readonly string[] = []) =>
  resolveGrants({ write, read, forbidden: at("data") }, false);

const asOther = (write: readonly string[], read: readonly string[] = []) =>
  resolveGrants({ write, read, forbidden: [] }, true);

function refusalOf(write: readonly string[], read: readonly string[] = []): UserError {
  try {
    resolveAt(write, read);
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  throw new Error("expected a refusal");
}

describe("sandbox grants: allowed", () => {
  test("paths are resolved, parents first, without duplicates and nested ones", () => {
    symlinkSync("a/b", join(dir, "link"));
    expect(resolveAt(at("d", "a/b/c", "link", "d/"), at("file", "a", "d", "a/b"))).toEqual({
      write: at("a/b", "d"),
      read: at("a", "file"),
    });
  });

  test("nothing is granted if nothing is requested", () => {
    expect(resolveAt([])).toEqual({ write: [], read: [] });
  });
});

describe("sandbox grants: refused", () => {
  test.each([
    ["a/b", "not an absolute path"],
    ["", "not an absolute path"],
    ["/srv/../etc", "`..`"],
    ["/srv/a\0b", "NUL"],
    ["/no/such/place", "does not exist"],
    [`/${"x".repeat(300)}`, "too long"],
  ])("%j", (path, why) => {
    const { kind, message, hint } = refusalOf([path]);
    expect(kind).toBe("forbidden");
    expect(message).toContain(why);
    expect(hint).toContain("sandbox.write");
  });

  test("a link that leads to itself", () => {
    symlinkSync("round", join(dir, "about"));
    symlinkSync("about", join(dir, "round"));
    expect(refusalOf(at("round")).message).toContain("leads to itself");
  });

  test("a path below a file", () => {
    expect(refusalOf(at("file/x")).message).toContain("a part of it is a file");
  });

  test("a link to a system directory, by its target", () => {
    symlinkSync("/etc/shadow", join(dir, "innocent"));
    expect(refusalOf([], at("innocent")).message).toContain("leads to /etc/shadow, which is inside /etc");
  });

  test("a link in a parent directory", () => {
    symlinkSync(join(dir, "data"), join(dir, "a", "way"));
    expect(refusalOf([], at("a/way/runs")).message).toContain("Nightshift's own data");
  });

  test("Nightshift's data directory if it is requested through a link", () => {
    symlinkSync(join(dir, "data"), join(dir, "home"));
    const request = { write: at("data/runs"), read: [], forbidden: at("home") };
    expect(() => resolveGrants(request)).toThrow("Nightshift's own data");
  });

  test("the whole home directory", () => {
    const request = { write: [], read: [homedir()], forbidden: [] };
    expect(() => resolveGrants(request)).toThrow("home directory");
  });

  test("sockets, pipes and devices", async () => {
    spawnSync("mkfifo", [join(dir, "pipe")]);
    const server = createServer();
    await new Promise<void>((done) => void server.listen(join(dir, "socket"), done));
    try {
      const { message } = refusalOf(at("pipe"), [...at("socket"), "/dev/null"]);
      expect(message).toContain("is a named pipe");
      expect(message).toContain("is a socket");
      expect(message).toContain("/dev/null (to read) is a device");
    } finally {
      server.close();
    }
  });

  test("several paths at once, each with its reason, and nothing is granted", () => {
    const { message } = refusalOf(["/usr/lib", join(dir, "a")], ["/proc/1", "/no/such/place"]);
    expect(message.split("\n- ").slice(1)).toEqual([
      expect.stringContaining("/usr/lib (to write)"),
      expect.stringContaining("/proc/1 (to read)"),
      expect.stringContaining("/no/such/place (to read) does not exist"),
    ]);
  });

  test("a name with control characters, which are removed in the message", () => {
    expect(refusalOf(["/no/\u001b[31mred"]).message).toContain("/no/red");
  });

  test("ten thousand paths, quickly", () => {
    const before = performance.now();
    const many = Array.from({ length: 10_000 }, (_, index) => `/no/such/${index}`);
    expect(refusalOf(many).message).toContain("10000 paths. At most 1000");
    expect(performance.now() - before).toBeLessThan(500);
  });
});

describe("sandbox grants: git checkouts", () => {
  beforeEach(() => {
    spawnSync("git", ["init", "--quiet", join(dir, "shop")]);
    mkdirSync(join(dir, "shop/src"));
    spawnSync("git", ["init", "--quiet", "--bare", join(dir, "bare/shop.git")]);
  });

  test.each([
    [
      "shop",
      "is a git checkout: agents work in copies of it, and write access to `.git` would let them run code outside",
    ],
    ["shop/src", "is inside the git checkout"],
    ["shop/.git", "is a git checkout"],
    ["shop/.git/hooks", "is inside the git checkout"],
    ["bare/shop.git", "is a git checkout"],
    ["bare", "contains the git checkout shop.git"],
  ])("are not writable: %s", (path, why) => {
    expect(refusalOf(at(path)).message).toContain(why);
    expect(resolveAt([], at(path)).read).toEqual(at(path));
  });

  test("include a worktree, whose `.git` is a file, and a link to one", () => {
    mkdirSync(join(dir, "tree"));
    writeFileSync(join(dir, "tree/.git"), "gitdir: elsewhere\n");
    symlinkSync("tree", join(dir, "leads"));
    expect(refusalOf(at("leads")).message).toContain("/tree, which is a git checkout");
  });

  test("are refused at any depth for a run that works in place, except for the directory's own one", () => {
    const shop = join(dir, "shop");
    const inPlace = () =>
      resolveGrants({ write: [shop], read: [], forbidden: [], cwd: shop, inPlace: true }, false).write;
    expect(inPlace()).toEqual([shop]);
    mkdirSync(join(shop, "vendor/deep/library"), { recursive: true });
    writeFileSync(join(shop, "vendor/deep/library/.git"), "gitdir: elsewhere\n");
    expect(inPlace).toThrow("contains the git checkout vendor/deep/library");
  });

  test("do not affect a folder next to one", () => {
    expect(resolveAt(at("a", "d")).write).toEqual(at("a", "d"));
  });
});

test("sandbox grants: a folder that contains a socket is refused, also for reading", async () => {
  const server = createServer();
  await new Promise<void>((done) => void server.listen(join(dir, "d/agent.sock"), done));
  try {
    expect(refusalOf([], at("d")).message).toContain("contains the socket agent.sock");
    expect(refusalOf(at("d")).message).toContain("contains the socket agent.sock");
  } finally {
    server.close();
  }
});

test("sandbox grants: a folder that contains a named pipe at any depth is refused, also for reading", () => {
  mkdirSync(join(dir, "d/one/two"), { recursive: true });
  execFileSync("mkfifo", [join(dir, "d/one/two/pipe")]);
  expect(refusalOf([], at("d")).message).toContain("contains the named pipe one/two/pipe");
  expect(refusalOf(at("d")).message).toContain("contains the named pipe one/two/pipe");
});

describe("sandbox grants: a command that runs as another user", () => {
  test.each([
    ["d", 0o750, "read", "chmod o+rx"],
    ["d", 0o754, "read", "chmod o+rx"],
    ["d", 0o755, "write", "chmod o+rwx"],
    ["file", 0o600, "read", "chmod o+r"],
    ["file", 0o644, "write", "chmod o+rw"],
  ] as const)("cannot use %s of mode %o to %s", (name, mode, right, fix) => {
    chmodSync(join(dir, name), mode);
    const ask = () => (right === "write" ? asOther(at(name)) : asOther([], at(name)));
    expect(ask).toThrow("is not accessible to others, but agents run as a separate user");
    expect(ask).toThrow(`\`${fix}\``);
    // The owner may use it.
    expect(right === "write" ? resolveAt(at(name)).write : resolveAt([], at(name)).read).toEqual(at(name));
  });

  test.each([
    ["d", 0o755, "read"],
    ["d", 0o777, "write"],
    ["file", 0o644, "read"],
    ["file", 0o666, "write"],
  ] as const)("can use %s of mode %o to %s below an inaccessible parent", (name, mode, right) => {
    chmodSync(join(dir, name), mode);
    const granted = right === "write" ? asOther(at(name)).write : asOther([], at(name)).read;
    expect(granted).toEqual(at(name));
  });
});
