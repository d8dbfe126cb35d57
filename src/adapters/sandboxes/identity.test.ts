import { execFileSync } from "node:child_process";
import { chownSync, linkSync, lstatSync, mkdirSync, mkdtempSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { handOver } from "./identity.ts";

const uid = 23_456;

/** What is below a directory and belongs to somebody else; find(1) goes as deep as it gets. */
function strangers(dir: string): string {
  return execFileSync("find", [dir, "(", "!", "-uid", String(uid), "-o", "!", "-gid", String(uid), ")"]).toString();
}

/** Only root can give a file away. */
describe.runIf(process.getuid?.() === 0)("handing over", () => {
  let dir = "";
  let own = "";
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "hand-over-"));
    own = join(dir, "own");
    mkdirSync(join(own, "sub/deeper"), { recursive: true });
    writeFileSync(join(own, "sub/file.txt"), "x");
  });
  // By rm(1), which also removes what is too deep to be named.
  afterEach(() => execFileSync("rm", ["-rf", dir]));

  test("reaches everything, also names that are no text", () => {
    const name = Buffer.concat([Buffer.from(`${own}/caf`), Buffer.from([0xe9]), Buffer.from(".txt")]);
    writeFileSync(name, "x");
    mkdirSync(Buffer.concat([Buffer.from(`${own}/d`), Buffer.from([0xff])]));
    writeFileSync(Buffer.concat([Buffer.from(`${own}/d`), Buffer.from([0xff, 0x2f, 0xfe])]), "x");
    const second = join(dir, "-R");
    mkdirSync(second);
    handOver([own, second, join(dir, "not-there")], { uid });
    expect(strangers(own) + strangers(second)).toBe("");
    expect(statSync(dir).uid).toBe(0);
  });

  test("reaches directories deeper than a path can be long", () => {
    const dig = `for (let at = 0; at < 60; at++) { fs.mkdirSync("d".repeat(200)); process.chdir("d".repeat(200)); }
                 fs.writeFileSync("leaf", "");`;
    execFileSync(process.execPath, ["-e", dig], { cwd: own });
    handOver([own], { uid });
    expect(strangers(own)).toBe("");
    expect(execFileSync("find", [own, "-name", "leaf", "-uid", String(uid)]).length).toBeGreaterThan(12_000);
  });

  test("follows no link: what one leads to keeps its owner", () => {
    const outside = join(dir, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "secret"), "x");
    symlinkSync(join(outside, "secret"), join(own, "to-file"));
    symlinkSync(outside, join(own, "to-directory"));
    symlinkSync(outside, join(dir, "given"));
    handOver([own, join(dir, "given")], { uid });
    expect(lstatSync(join(own, "to-file")).uid).toBe(uid);
    expect(lstatSync(join(dir, "given")).uid).toBe(uid);
    expect([outside, join(outside, "secret")].map((path) => statSync(path).uid)).toEqual([0, 0]);
  });

  test("is not done twice: a directory that has its user is left as it is", () => {
    handOver([own], { uid });
    chownSync(join(own, "sub/file.txt"), 0, 0);
    handOver([own], { uid });
    expect(statSync(join(own, "sub/file.txt")).uid).toBe(0);
  });

  test("a file with two names inside is one file", () => {
    linkSync(join(own, "sub/file.txt"), join(own, "other-name"));
    handOver([own], { uid });
    expect(strangers(own)).toBe("");
  });

  test("says what could not be handed over", () => {
    expect(() => handOver([own], { uid: -2 })).toThrow(/invalid/);
  });
});
