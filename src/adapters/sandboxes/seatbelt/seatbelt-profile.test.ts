import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SandboxPolicy } from "../../../ports/sandbox.ts";
import { testPolicy } from "../../../testing/policy.ts";
import { decide, readAll, shape, texts } from "../../../testing/read-sbpl.ts";
import type { Expression } from "../../../testing/read-sbpl.ts";
import { seatbeltProfile } from "./seatbelt-profile.ts";
import type { SeatbeltFacts } from "./seatbelt-profile.ts";

const policy = testPolicy("/Users/ann/ns/ws", {
  own: { write: ["/Users/ann/ns/ws", "/Users/ann/ns/report"], read: ["/Users/ann/ns/agent"] },
  write: ["/Users/ann/cache"],
  read: ["/Users/ann/notes"],
  protect: ["/Users/ann/ns/ws/sub/.git"],
});
const facts: SeatbeltFacts = { withSystem: true, programs: [], ports: [] };

const segment = fc
  .string({ unit: "binary", minLength: 1, maxLength: 20 })
  .map((text) => text.replaceAll(/[/\0]/g, "_"))
  .filter((text) => text.isWellFormed() && text !== "." && text !== "..");
const nasty = fc.constantFrom(
  'x") (allow default) ("',
  String.raw`x\") (allow default) (\"`,
  "x\\",
  "x\n(allow default)",
  "; comment",
  '#"',
  "Ünï cödé 🦉",
  String.raw`\x22)`,
  "tab\tbell\u0007del\u007F",
);
const anyPath = fc
  .array(fc.oneof(segment, nasty), { minLength: 1, maxLength: 5 })
  .map((parts) => `/v/${parts.join("/")}`);

const same = (path: string): SandboxPolicy => ({
  ...policy,
  cwd: path,
  own: { write: [`${path}/w`], read: [`${path}/r`] },
  write: [`${path}/aw`],
  read: [`${path}/ar`],
  protect: [`${path}/p`],
  executes: false,
});

/** Compares the set of filters of a rule, because two names of a path may be equal. */
function ruleHeads(forms: readonly Expression[]): unknown {
  return forms.map((form) =>
    Array.isArray(form)
      ? form.map(shape).filter((each, at, all) => all.findIndex((other) => String(other) === String(each)) === at)
      : form,
  );
}

const ask = (
  operation: string,
  path: string,
  change: Partial<SandboxPolicy> = {},
  machine: SeatbeltFacts = facts,
): string => decide(seatbeltProfile({ ...policy, ...change }, machine), operation, path);

describe("seatbelt profile: the text", () => {
  test("cannot be extended by a path, and contains each path unchanged", () => {
    fc.assert(
      fc.property(anyPath, (path) => {
        const read = readAll(
          seatbeltProfile(same(path), { withSystem: false, programs: [`${path}/x`], ports: [4000] }),
        );
        // The same depth, so that it has the same number of parent directories.
        const plain = `/v${"/a".repeat(path.split("/").length - 2)}`.replace(/a$/, "b");
        const harmless = readAll(
          seatbeltProfile(same(plain), { withSystem: false, programs: [`${plain}/x`], ports: [4000] }),
        );
        expect(ruleHeads(read)).toEqual(ruleHeads(harmless));
        expect(texts(read)).toEqual(
          expect.arrayContaining(["", "/w", "/r", "/aw", "/ar", "/p", "/x"].map((end) => path + end)),
        );
        for (const form of read) expect(["version", "deny", "allow"]).toContain(Array.isArray(form) ? form[0] : form);
      }),
    );
  });

  test.each(["relative", "/a/../b", "/a/.", "/a/", "/nul\0", "/half\uD800"])("rejects the path %j", (path) => {
    expect(() => seatbeltProfile({ ...policy, read: [path] }, facts)).toThrow(
      expect.objectContaining({ kind: "forbidden" }),
    );
  });

  test("is the same for the same policy, and starts by denying everything", () => {
    const text = seatbeltProfile(policy, facts);
    expect(seatbeltProfile(policy, facts)).toBe(text);
    expect(text.split("\n").slice(0, 2)).toEqual(["(version 1)", "(deny default)"]);
    expect(text).not.toMatch(/allow default/);
  });

  test("contains no rule without a filter if a list is empty", () => {
    const bare = { ...policy, own: { write: [], read: [] }, write: [], read: [], protect: [] };
    const heads = readAll(seatbeltProfile(bare, { withSystem: true, programs: [], ports: [] })).map(
      (form) => Array.isArray(form) && form.slice(1),
    );
    expect(heads.filter((rest) => rest !== false && rest.every((each) => typeof each === "string"))).toEqual([
      ["1"],
      ["default"],
      ["process-fork"],
      ["ipc-posix-sem"],
      ["pseudo-tty"],
    ]);
  });
});

describe("seatbelt profile: files", () => {
  test.each([
    ["file-read-data", "/Users/ann/ns/ws/a", "allow"],
    ["file-read-data", "/Users/ann/notes/a", "allow"],
    ["file-read-data", "/Users/ann/ns/agent/a", "allow"],
    ["file-read-data", "/usr/lib/libz.dylib", "allow"],
    ["file-read-data", "/Users/ann/.ssh/id_rsa", "deny"],
    ["file-read-data", "/Users/ann", "deny"],
    ["file-read-metadata", "/Users/ann", "allow"],
    ["file-read-metadata", "/Users/ann/.ssh", "deny"],
    ["file-read-data", "/Library/Keychains/System.keychain", "deny"],
    ["file-read-data", "/private/etc/sudoers", "deny"],
    ["file-read-data", "/Users/ann/ns/ws2", "deny"],
    ["file-write-data", "/Users/ann/ns/ws/a", "allow"],
    ["file-write-data", "/Users/ann/cache/a", "allow"],
    ["file-write-data", "/Users/ann/notes/a", "deny"],
    ["file-write-data", "/Users/ann/ns/agent/a", "deny"],
    ["file-write-data", "/usr/lib/a", "deny"],
    ["file-write-data", "/private/tmp/a", "deny"],
    ["file-write-data", "/Users/ann/ns/ws/sub/.git/config", "deny"],
    ["file-write-unlink", "/Users/ann/ns/ws/sub/.git", "deny"],
    ["file-write-unlink", "/Users/ann/ns/ws/sub", "deny"],
    ["file-write-unlink", "/Users/ann/ns/ws/other", "allow"],
  ])("%s of %s: %s", (operation, path, expected) => {
    expect(ask(operation, path)).toBe(expected);
  });

  test("allows all system programs, or only the listed programs", () => {
    expect(ask("process-exec", "/usr/bin/curl")).toBe("allow");
    const listed = { withSystem: false, programs: ["/usr/bin/git"], ports: [] };
    expect(ask("process-exec", "/usr/bin/git", {}, listed)).toBe("allow");
    expect(ask("process-exec", "/usr/bin/curl", {}, listed)).toBe("deny");
    expect(ask("process-exec", "/Users/ann/ns/ws/gradlew", {}, listed)).toBe("allow");
  });

  test("without execute permission, nothing of the workspace can be started, loaded or changed", () => {
    const judge = { executes: false };
    expect(ask("process-exec", "/Users/ann/ns/ws/x", judge)).toBe("deny");
    expect(ask("process-exec-interpreter", "/Users/ann/cache/x", judge)).toBe("deny");
    expect(ask("file-map-executable", "/Users/ann/ns/report/x.node", judge)).toBe("deny");
    expect(ask("file-write-data", "/Users/ann/ns/ws/x", judge)).toBe("deny");
    expect(ask("file-write-data", "/Users/ann/ns/report/x", judge)).toBe("allow");
    expect(ask("process-exec", "/Users/ann/ns/agent/x", judge)).toBe("allow");
    expect(ask("process-exec", "/usr/bin/git", judge)).toBe("allow");
  });
});

describe("seatbelt profile: other rules", () => {
  test("allow no network without ports, and otherwise only these ports", () => {
    expect(seatbeltProfile(policy, facts)).not.toMatch(/network/);
    const rules = seatbeltProfile(policy, { ...facts, ports: [4000, 4001] }).match(/network.*|remote.*/g);
    expect(rules).toEqual(["network-outbound", 'remote ip "localhost:4000")', 'remote ip "localhost:4001"))']);
  });

  test.each([0, 65_536, 1.5, Number.NaN])("reject %d as a port", (port) => {
    expect(() => seatbeltProfile(policy, { ...facts, ports: [port] })).toThrow(/not a valid port/);
  });

  test("limit signals and process details to the sandbox, and exclude keychain, trust store and process list", () => {
    const text = seatbeltProfile(policy, facts);
    expect(text).toContain("(allow signal (target same-sandbox))");
    expect(text).toContain("(allow process-info* (target same-sandbox))");
    expect(text).not.toMatch(/SecurityServer|securityd|trustd|keychain|pasteboard|kern\.proc|mach-priv|iokit/i);
  });
});
