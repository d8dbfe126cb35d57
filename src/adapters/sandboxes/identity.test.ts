import { execFileSync } from "node:child_process";
import { chownSync, linkSync, lstatSync, mkdirSync, mkdtempSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { chownToRunUser } from "./identity.ts";

const uid = 23_456;

/** Returns what belongs to another user below a directory. find(1) has no depth limit. */
function strangers(dir: string): string {
  return execFileSync("find", [dir, "(", "!", "-uid", String(uid), "-o", "!", "-gid", String(uid), ")"]).toString();
}

/** Only root can change owners. */
describe.runIf(process.getuid?.() === 0)("chownToRunUser", () => {
  let dir = "";
  let own = "";
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "hand-over-"));
    own = join(dir, "own");
    mkdirSync(join(own, "sub/deeper"), { recursive: true });
    writeFileSync(join(own, "sub/file.txt"), "x");
  });
  // rm(1) also removes paths that are too deep.
  afterEach(() => execFileSync("rm", ["-rf", dir]));

  test("changes everything, also names that are not valid text", () => {
    const name = Buffer.concat([Buffer.from(`${own}/caf`), Buffer.from([0xe9]), Buffer.from(".txt")]);
    writeFileSync(name, "x");
    mkdirSync(Buffer.concat([Buffer.from(`${own}/d`), Buffer.from([0xff])]));
    writeFileSync(Buffer.concat([Buffer.from(`${own}/d`), Buffer.from([0xff, 0x2f, 0xfe])]), "x");
    const second = join(dir, "-R");
    mkdirSync(second);
    chownToRunUser([own, second, join(dir, "not-there")], { uid });
    expect(strangers(own) + strangers(second)).toBe("");
    expect(statSync(dir).uid).toBe(0);
  });

  test("changes directories deeper than the path limit", () => {
    const dig = `for (let at = 0; at < 60; at++) { fs.mkdirSync("d".repeat(200)); process.chdir("d".repeat(200)); }
                 fs.writeFileSync("leaf", "");`;
    execFileSync(process.execPath, ["-e", dig], { cwd: own });
    chownToRunUser([own], { uid });
    expect(strangers(own)).toBe("");
    expect(execFileSync("find", [own, "-name", "leaf", "-uid", String(uid)]).length).toBeGreaterThan(12_000);
  });

  test("does not follow links", () => {
    const outside = join(dir, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "secret"), "x");
    symlinkSync(join(outside, "secret"), join(own, "to-file"));
    symlinkSync(outside, join(own, "to-directory"));
    symlinkSync(outside, join(dir, "given"));
    chownToRunUser([own, join(dir, "given")], { uid });
    expect(lstatSync(join(own, "to-file")).uid).toBe(uid);
    expect(lstatSync(join(dir, "given")).uid).toBe(uid);
    expect([outside, join(outside, "secret")].map((path) => statSync(path).uid)).toEqual([0, 0]);
  });

  test("skips a directory that already has the right owner", () => {
    chownToRunUser([own], { uid });
    chownSync(join(own, "sub/file.txt"), 0, 0);
    chownToRunUser([own], { uid });
    expect(statSync(join(own, "sub/file.txt")).uid).toBe(0);
  });

  test("accepts a file with two hard links inside", () => {
    linkSync(join(own, "sub/file.txt"), join(own, "other-name"));
    chownToRunUser([own], { uid });
    expect(strangers(own)).toBe("");
  });

  test("reports what could not be changed", () => {
    expect(() => chownToRunUser([own], { uid: -2 })).toThrow(/invalid/);
  });
});
