import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { covers, refusePath, type PathLimits } from "./path-rules.ts";

const limits: PathLimits = {
  right: "read",
  forbidden: ["/srv/night/data"],
  homes: ["/root", "/home/ann", "/var/lib/builder"],
};
const read = (path: string) => refusePath(path, limits);
const write = (path: string) => refusePath(path, { ...limits, right: "write" });

describe("refusePath", () => {
  test.each(["/srv/night/data", "/srv/night/data/runs/run_1", "/srv/night"])(
    "refuses Nightshift's data: %s",
    (path) => {
      expect(read(path)).toContain("Nightshift's own data");
    },
  );

  test.each(["/root", "/home/ann", "/home/bob", "/Users/ann", "/home", "/var/home/ann", "/var/lib/builder"])(
    "refuses a whole home directory: %s",
    (path) => {
      expect(read(path)).toContain("home");
    },
  );

  test.each([
    ".ssh",
    ".ssh/id_ed25519",
    ".gnupg",
    ".aws/credentials",
    ".config/gh",
    ".config",
    ".local/share",
    ".npmrc",
    ".cargo",
    ".claude",
    ".mozilla/firefox",
    "Library/Keychains",
  ])("refuses secrets in any home: %s", (place) => {
    for (const home of ["/root", "/home/ann", "/home/somebody", "/Users/ann", "/var/lib/builder"]) {
      expect(read(`${home}/${place}`)).toContain("keys, logins or private data");
    }
  });

  test.each([
    "/",
    "/bin",
    "/etc",
    "/lib64",
    "/opt",
    "/private",
    "/tmp",
    "/usr",
    "/usr/local",
    "/var",
    "/var/lib",
    "/var/tmp",
  ])("refuses whole system directories: %s", (path) => {
    expect([read(path), write(path)]).toEqual([expect.any(String), expect.any(String)]);
  });

  test.each(["/proc/1/environ", "/sys/kernel", "/dev/sda", "/run/docker.sock", "/var/run/docker.sock", "/boot/grub"])(
    "refuses everything inside closed directories: %s",
    (path) => {
      expect(read(path)).toContain("not available to any run");
    },
  );

  test.each(["/etc/shadow", "/etc/ssh", "/etc/ssl/private", "/etc/ssl", "/private/etc/sudoers"])(
    "refuses settings that may contain secrets: %s",
    (path) => {
      expect(read(path)).toContain("secrets");
    },
  );

  test.each([
    "/usr/lib/node_modules/x",
    "/etc/hosts",
    "/usr/local/lib/x",
    "/var/lib/dpkg",
    "/home/ann/.bashrc",
    "/root/bin",
  ])("allows reading, but not writing: %s", (path) => {
    expect(write(path)).toEqual(expect.any(String));
  });
});

test.each([
  "/home/ann/src/shop",
  "/root/work",
  "/home/ann/.m2/repository",
  "/srv/shared",
  "/tmp/x",
  "/opt/data",
  "/var/lib/builder/jobs/1",
  "/rooted",
  "/etcetera/x",
])("refusePath allows writing: %s", (path) => {
  expect(write(path)).toBeNull();
});

test.each(["/usr/share/dict", "/etc/hosts", "/etc/ssl/certs", "/home/ann/.bashrc", "/var/lib/dpkg"])(
  "refusePath allows reading: %s",
  (path) => {
    expect(read(path)).toBeNull();
  },
);

test.each([
  ["/etc", "write", "belongs to the system: nothing in it is writable for a run"],
  ["/usr/local", "write", "belongs to the system: nothing in it is writable for a run"],
  ["/usr", "read", "belongs to the system: list only the folders that are needed"],
  ["/opt", "write", "belongs to the system: list only the folders that are needed"],
  ["/etc", "read", "such as /etc/hosts"],
  ["/proc", "read", "belongs to the system: it is not available to any run"],
  ["/home/ann/.ssh", "read", "is a place where keys, logins or private data are stored"],
  ["/home/ann/.ssh/id", "read", "is inside /home/ann/.ssh, where keys, logins or private data are stored"],
  [
    "/home/ann/.bashrc",
    "write",
    "is a place where write access would allow running programs as the owner of the home directory",
  ],
] as const)("refusePath: %s to %s %s", (path, right, why) => {
  expect(refusePath(path, { ...limits, right })).toContain(why);
});

test("refusePath: its suggestions are not refused themselves", () => {
  expect([read("/etc/hosts"), read("/private/etc/hosts"), write("/opt/x"), read("/usr/share")]).toEqual(
    Array(4).fill(null),
  );
});

test("refusePath: a home directory at the root gives no access to the system", () => {
  expect(refusePath("/var/lib/dpkg", { right: "write", forbidden: [], homes: ["/"] })).toContain(
    "belongs to the system",
  );
  expect(refusePath("/.ssh", { right: "read", forbidden: [], homes: ["/"] })).toContain("keys");
});

const name = fc.constantFrom(
  "root",
  "home",
  "ann",
  ".ssh",
  "etc",
  "usr",
  "var",
  "lib",
  "srv",
  "night",
  "data",
  "tmp",
  "run",
  "x",
  "a",
);
const somePath = fc.array(name, { minLength: 1, maxLength: 5 }).map((parts) => `/${parts.join("/")}`);

test("refusePath: what may be written may also be read", () => {
  fc.assert(
    fc.property(somePath, (path) => {
      expect(write(path) !== null || read(path) === null).toBe(true);
    }),
  );
});

test("refusePath: a parent of a refused directory is refused, too", () => {
  const roots = ["/srv/night/data", "/root", "/home/ann", "/home/ann/.ssh", "/usr", "/etc", "/tmp"];
  fc.assert(
    fc.property(somePath, (path) => {
      if (roots.some((root) => covers(path, root))) expect(read(path)).not.toBeNull();
    }),
  );
});

test("refusePath: a name with the same prefix is not covered", () => {
  expect([covers("/a/b", "/a/bc"), covers("/a/b", "/a/b"), covers("/a/b", "/a/b/c"), covers("/", "/x")]).toEqual([
    false,
    true,
    true,
    true,
  ]);
});
