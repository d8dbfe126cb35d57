import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { endingOf, readStoredKeys, storedKeysVersion, withStoredKeys, writeStoredKeys } from "./stored-keys.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "nightshift-keys-"));
});
afterEach(() => rmSync(home, { recursive: true }));

const file = (): string => join(home, "auth/keys.json");
const key = (value: string) => ({ value, added_at: "2026-11-15T21:00:00.000Z" });

describe("stored keys", () => {
  it("are in a file and a folder that only the owner can read, whatever the umask is", async () => {
    const before = process.umask(0);
    try {
      writeStoredKeys(home, { GITLAB_TOKEN: key("glpat-1") });
    } finally {
      process.umask(before);
    }
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, "auth")).mode & 0o777).toBe(0o700);
    expect(await readdir(join(home, "auth"))).toEqual(["keys.json"]);
    expect(readStoredKeys(home)).toEqual({ GITLAB_TOKEN: key("glpat-1") });
  });

  it.each(["", "{", "[]", '{"A": "sk-secret"}', '{"A": {"value": 1}}'])(
    "a damaged file (%j) is an error that quotes no value",
    (text) => {
      writeStoredKeys(home, {});
      writeFileSync(file(), text);
      expect(() => readStoredKeys(home)).toThrow(/cannot be read/);
      expect(() => readStoredKeys(home)).not.toThrow(/sk-secret/);
    },
  );

  it("win over the environment, and take effect when the file changes", () => {
    const seen: string[] = [];
    const env = withStoredKeys({ A: "from env", B: "b" }, home, {
      onKey: ({ name, value }) => seen.push(`${name}=${value}`),
    });
    expect({ ...env }).toEqual({ A: "from env", B: "b" });
    writeStoredKeys(home, { A: key("stored"), C: key("c") });
    expect(env["A"]).toBe("stored");
    expect({ ...env }).toEqual({ A: "stored", B: "b", C: "c" });
    expect("C" in env).toBe(true);
    expect(seen).toEqual(["A=stored", "C=c"]);
    const version = storedKeysVersion(home);
    writeStoredKeys(home, { C: key("d") });
    expect(storedKeysVersion(home)).not.toBe(version);
    expect([env["A"], env["C"]]).toEqual(["from env", "d"]);
  });

  it("stay in effect while the file is damaged", () => {
    const problems: string[] = [];
    const env = withStoredKeys({}, home, { onProblem: (problem) => problems.push(problem) });
    writeStoredKeys(home, { A: key("stored") });
    expect(env["A"]).toBe("stored");
    writeFileSync(file(), "");
    expect([env["A"], env["A"]]).toEqual(["stored", "stored"]);
    expect(problems).toHaveLength(1);
  });

  it("are shown by their last four characters, and not at all if they are short", () => {
    expect(endingOf("sk-ant-0123456789abcd")).toBe("abcd");
    expect(endingOf("short-password")).toBeNull();
  });
});
