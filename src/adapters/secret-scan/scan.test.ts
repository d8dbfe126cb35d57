import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FileChange, FileSide } from "../../core/change/file-change.ts";
import type { Log } from "../../ports/log.ts";
import type { SecretFinding } from "../../ports/secret-scan.ts";
import { LOOK_ALIKES, PLANTED } from "./fixtures/planted.ts";
import { createSecretScan } from "./scan.ts";

const KNOWN = { name: "FORGE_TOKEN", value: ["s3cr3t", "value", "of", "ours"].join("-") };
const notes: string[] = [];
const log: Log = { info: () => undefined, warn: (message) => void notes.push(message), error: () => undefined };

function side(content: string | Buffer, kind: FileSide["kind"] = "file"): FileSide {
  const bytes = Buffer.from(content as string);
  return { kind, bytes: bytes.length, content: bytes };
}

function added(path: string, content: string | Buffer): FileChange {
  return { path, before: null, after: side(content) };
}

function edited(path: string, before: string, after: string): FileChange {
  return { path, before: side(before), after: side(after) };
}

const { scan } = createSecretScan({ secrets: () => [KNOWN], path: "/nonexistent", log });

/** One scan for all kinds; the folder identifies which one was found. */
let found: readonly SecretFinding[] = [];
beforeAll(async () => {
  found = await scan([
    ...PLANTED.map(({ path, text }, index) => added(`planted-${index}/${path}`, text)),
    ...LOOK_ALIKES.map(({ path, text }, index) => added(`alike-${index}/${path}`, text)),
  ]);
});

const WARNED: readonly string[] = [
  "Hugging Face token",
  "Google API key",
  "JSON Web Token",
  "token in hex",
  "password in code",
  "kubeconfig",
];

describe("secret scan: likely credentials", () => {
  it.each(PLANTED.map((planted, index) => ({ ...planted, index })))("are found: $kind", ({ kind, index, secret }) => {
    const own = found.filter(({ path }) => path.startsWith(`planted-${index}/`));
    expect(own).toHaveLength(1);
    expect(own[0]?.severity).toBe(WARNED.includes(kind) ? "warning" : "error");
    expect(own[0]?.message).toMatch(/… \(\d+ characters\)/);
    expect(own[0]?.message).not.toContain(secret.trim().slice(0, 12));
  });

  it.each(LOOK_ALIKES.map(({ kind }, index) => ({ kind, index })))(
    "are not reported for a look-alike: $kind",
    ({ index }) => {
      expect(found.filter(({ path }) => path.startsWith(`alike-${index}/`))).toEqual([]);
    },
  );

  it("are reported with their line", () => {
    const kubeconfig = PLANTED.findIndex(({ kind }) => kind === "kubeconfig");
    expect(found.find(({ path }) => path.startsWith(`planted-${kubeconfig}/`))?.line).toBe(3);
  });

  it("cannot be hidden by comments, encodings or binary content", async () => {
    const [token] = PLANTED;
    const line = token?.text ?? "";
    const findings = await scan([
      added("1-comment.ts", `/* secretlint-disable */\n${line}`),
      added("2-comment.ts", `// secretlint-disable-next-line\n${line.trim()} // gitleaks:allow example\n`),
      added("3-nul.ts", `\0\0\0${line}`),
      added("4-latin1.ts", Buffer.concat([Buffer.from([0xff, 0xe9, 0x0a]), Buffer.from(line)])),
      added("5-utf16.ts", Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(line, "utf16le")])),
    ]);
    expect(findings.map(({ path, rule }) => [path.slice(0, 1), rule])).toEqual(
      ["1", "2", "3", "4", "5"].map((path) => [path, "secretlint/github"]),
    );
  });

  it("are found anywhere in a large text, with their line", async () => {
    const token = PLANTED[0]?.text.trim() ?? "";
    const key = PLANTED.find(({ kind }) => /private key/i.test(kind))?.text.trim() ?? "";
    expect(key).toContain("\n");
    const filler = `${"harmless words of a table ".repeat(4)}\n`;
    // The step is not a divisor of the window length, so some matches cross an edge.
    const lines = Array.from({ length: 45_000 }, (_, at) => (at % 4_801 === 4_800 ? `${token}\n` : filler));
    const keys = Array.from({ length: 12_000 }, (_, at) => (at % 4_761 === 4_760 ? `${key}\n` : filler));
    const findings = await scan([
      added("1-lines.csv", lines.join("")),
      added("2-keys.csv", keys.join("")),
      added("3-one-line.txt", `${"x ".repeat(600_000)}${token} ${"x ".repeat(600_000)}`),
      edited("4-old.csv", lines.join(""), `${lines.join("")}new\n`),
    ]);
    const linesOf = (name: string) => findings.filter(({ path }) => path === name).map(({ line }) => line);
    expect(linesOf("1-lines.csv")).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9].map((time) => time * 4_801));
    expect(linesOf("2-keys.csv")).toHaveLength(2);
    expect(linesOf("3-one-line.txt")).toEqual([1]);
    expect(linesOf("4-old.csv")).toEqual([]);
  }, 60_000);

  it("are reported only on new lines", async () => {
    const [token, , gitlab] = PLANTED;
    const [old, fresh] = [token?.text ?? "", gitlab?.text ?? ""];
    const findings = await scan([
      edited("a.ts", `${old}one\n`, `two\n${old}`),
      edited("b.ts", old, `${old}${fresh}`),
      { path: "gone.ts", before: side(old), after: null },
    ]);
    expect(findings).toMatchObject([{ path: "b.ts", line: 2, rule: "secretlint/gitlab" }]);
  });
});

describe("secret scan: known values", () => {
  it("are found in any encoding, in contents, names, links and binary files", async () => {
    const base64 = Buffer.from(`user:${KNOWN.value}`).toString("base64");
    const findings = await scan([
      added("1.txt", `one\ntwo\n${KNOWN.value}\n`),
      added("2.txt", `Basic ${base64}`),
      added("3.bin", Buffer.concat([Buffer.from([0xff, 0, 1]), Buffer.from(KNOWN.value), Buffer.from([0xfe])])),
      { path: "4.link", before: null, after: side(`/tmp/${KNOWN.value}`, "link") },
      added(`5-${KNOWN.value}.txt`, "harmless"),
      edited("6.txt", `${KNOWN.value}\n`, `${KNOWN.value}\nmore\n`),
      added("7.txt", `${"harmless words\n".repeat(100_000)}${KNOWN.value}`),
    ]);
    expect(findings.map(({ path, line, rule, severity }) => [path, line, rule, severity])).toEqual([
      ["1.txt", 3, "known-secret", "error"],
      ["2.txt", 1, "known-secret", "error"],
      ["3.bin", 1, "known-secret", "error"],
      ["4.link", 1, "known-secret", "error"],
      ["5-[redacted: FORGE_TOKEN].txt", null, "known-secret", "error"],
      ["7.txt", 100_001, "known-secret", "error"],
    ]);
    expect(JSON.stringify(findings)).not.toContain(KNOWN.value);
  });
});

describe("secret scan", () => {
  it("reports files it did not scan", async () => {
    const big: FileChange = { path: "big.bin", before: null, after: { kind: "file", bytes: 5e9, content: null } };
    const module: FileChange = { path: "lib", before: null, after: { kind: "submodule", bytes: 40, content: null } };
    expect(await scan([big, module])).toMatchObject([{ path: "big.bin", rule: "not-scanned", severity: "error" }]);
  });

  it("reports a change that it could not finish in time", async () => {
    const hasty = createSecretScan({ secrets: () => [], path: "", log, timeoutMs: 1 });
    expect(await hasty.scan([added("a.ts", "one"), added("b.ts", "two")])).toMatchObject([
      { path: "a.ts", rule: "not-scanned", severity: "error", message: expect.stringContaining("1 more") },
    ]);
  });

  it("finds nothing in an empty change", async () => {
    expect(await scan([])).toEqual([]);
  });

  it("takes less than two seconds for a megabyte", async () => {
    const text = "export const answer = compute(40, 2); // see the other file\n".repeat(850);
    const started = performance.now();
    expect(await scan(Array.from({ length: 20 }, (_, index) => added(`${index}.ts`, text)))).toEqual([]);
    // A quarter of a second on an idle machine.
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

describe("secret scan: gitleaks", () => {
  let dir = "";
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "fake-gitleaks-"));
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  /** A fake gitleaks: the test checks its input and how its output is used. */
  async function install(name: string, script: string): Promise<string> {
    const folder = join(dir, name);
    await mkdir(folder);
    await writeFile(join(folder, "gitleaks"), `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`);
    await chmod(join(folder, "gitleaks"), 0o700);
    return folder;
  }

  it("adds its findings if it is installed", async () => {
    const path = await install(
      "good",
      `echo "$@" > ${dir}/args
       while [ $# -gt 0 ]; do case "$1" in --source) source=$2;; --report-path) out=$2;; esac; shift; done
       find "$source" -type f | sort > ${dir}/files; cat "$source"/0/* > ${dir}/copy
       echo '[{"RuleID":"some-rule","File":"'$source'/0/a.txt","StartLine":2,"StartColumn":1,"EndColumn":6},
              {"RuleID":"some-rule","File":"'$source'/1/gitleaks.toml","StartLine":1,"StartColumn":1,"EndColumn":2}]' > "$out"`,
    );
    const { scan: withGitleaks } = createSecretScan({ secrets: () => [], path, log });
    const findings = await withGitleaks([
      added("x/a.txt", "first\nsecond // gitleaks:allow\n"),
      edited("y/.gitleaks.toml", "old\n", "old\nnew\n"),
    ]);
    expect(findings).toMatchObject([{ path: "x/a.txt", line: 2, rule: "gitleaks/some-rule", severity: "error" }]);
    expect(await readFile(join(dir, "args"), "utf8")).toContain("--redact");
    expect(await readFile(join(dir, "files"), "utf8")).toMatch(/\/0\/a\.txt\n.*\/1\/gitleaks\.toml\n$/);
    expect(await readFile(join(dir, "copy"), "utf8")).not.toContain("gitleaks:allow");
    const [, copies] = /--source (\S+)/.exec(await readFile(join(dir, "args"), "utf8")) ?? [];
    await expect(readFile(join(copies ?? "", "0", "a.txt"))).rejects.toThrow("ENOENT");
  });

  it.each([
    ["fails", "echo broken >&2; exit 3", "Command failed"],
    ["writes no report", "exit 0", "ENOENT"],
    ["hangs", "exec sleep 60", "Command failed"],
  ])("is ignored when it %s", async (name, script, said) => {
    notes.length = 0;
    const path = await install(name.replaceAll(" ", "-"), script);
    const { scan: withGitleaks } = createSecretScan({ secrets: () => [KNOWN], path, log, timeoutMs: 4_000 });
    expect(await withGitleaks([added("a.txt", KNOWN.value)])).toMatchObject([{ rule: "known-secret" }]);
    expect(notes).toEqual([expect.stringContaining(`gitleaks is installed but could not be used: ${said}`)]);
  });
});
