import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { removeDaemonFile, repairDaemonFile, writeDaemonFile } from "./daemon-file.ts";

const ADDRESS = { pid: 7, url: "http://127.0.0.1:1", token: "t", version: "1", path: "/bin" };

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "nightshift-daemon-"));
  file = join(folder, "daemon.json");
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("daemon.json", () => {
  test.each(["", "{", "[]", "null", '{"pid":"7"}'])("is written again if it contains %j", (content) => {
    writeFileSync(file, content);
    repairDaemonFile(file, ADDRESS);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(ADDRESS);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("is written again if it is missing, and left alone if it belongs to another daemon", () => {
    repairDaemonFile(file, ADDRESS);
    expect(existsSync(file)).toBe(true);
    writeDaemonFile(file, { ...ADDRESS, pid: 8 });
    repairDaemonFile(file, ADDRESS);
    removeDaemonFile(file, 7);
    expect(readFileSync(file, "utf8")).toContain('"pid": 8');
    removeDaemonFile(file, 8);
    removeDaemonFile(file, 8);
    expect(existsSync(file)).toBe(false);
  });
});
