import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { FileChange, FileSide } from "../change/file-change.ts";
import { blocks, hasChangedMuch, proposalId, type FileChurn, type ProposalStatus } from "./proposal.ts";
import { patchFingerprint } from "./proposal-patch.ts";

const candidate = { category: "docs", files: ["a.md", "b.md"], title: "Fix the typo" } as const;
const churnOf = (over: Partial<FileChurn>): readonly FileChurn[] => [
  { path: "a.md", gone: false, changed: 0, lines: 200, ...over },
];

describe("hasChangedMuch()", () => {
  it.each([
    [{ changed: 0, lines: 0 }, false],
    [{ changed: 10, lines: 20 }, false],
    [{ changed: 11, lines: 20 }, true],
    [{ changed: 20, lines: 200 }, false],
    [{ changed: 21, lines: 200 }, true],
    [{ changed: 11, lines: 0 }, true],
    [{ gone: true, lines: 3 }, true],
  ])("%j: %s", (over, material) => {
    const [file] = churnOf(over);
    expect(file === undefined ? null : hasChangedMuch(file)).toBe(material);
  });
});

const as = (status: ProposalStatus) => ({ ...candidate, status });

describe("blocks()", () => {
  it("is false for a proposal that was not selected", () => {
    expect(blocks(as("proposed"), candidate, [])).toBe(false);
  });

  it("is true for an open change request, whatever happens to the files", () => {
    expect(blocks(as("published"), candidate, churnOf({ gone: true }))).toBe(true);
  });

  it.each(["merged", "closed", "rejected", "abandoned"] as const)(
    "is true for %s until a file changes materially",
    (status) => {
      expect(blocks(as(status), candidate, churnOf({ changed: 20 }))).toBe(true);
      expect(blocks(as(status), candidate, churnOf({ changed: 21 }))).toBe(false);
      expect(blocks(as(status), candidate, churnOf({ gone: true }))).toBe(false);
      expect(blocks(as(status), candidate, [])).toBe(true);
    },
  );

  it("is true for a branch without a change request until a file changes materially", () => {
    const pushed = { ...as("published"), url: null };
    expect(blocks(pushed, candidate, churnOf({ changed: 20 }))).toBe(true);
    expect(blocks(pushed, candidate, churnOf({ changed: 21 }))).toBe(false);
  });

  it("is true if the changes are unknown", () => {
    expect(blocks(as("closed"), candidate, null)).toBe(true);
  });

  it("considers only shared files and the same intent", () => {
    const other = { ...as("closed"), files: ["a.md"] };
    expect(blocks(other, candidate, churnOf({ path: "b.md", gone: true }))).toBe(true);
    expect(blocks(as("published"), { ...candidate, category: "tests", title: "Cover the typo" }, null)).toBe(false);
  });

  it.each(["published", "merged", "closed", "rejected", "abandoned"] as const)(
    "is true for %s if another category has the same title for the same files",
    (status) => {
      const elsewhere = { category: "refactoring", files: ["b.md", "a.md"], title: "Fixed the typos" };
      expect(blocks(as(status), elsewhere, [])).toBe(true);
      expect(blocks(as(status), { ...elsewhere, files: ["a.md"] }, [])).toBe(false);
    },
  );

  it("is false for a proposal of another category that was not selected", () => {
    expect(blocks(as("proposed"), { ...candidate, category: "tests" }, [])).toBe(false);
  });
});

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

describe("proposalId()", () => {
  const of = { task: "task_1", category: "docs", rank: 1, title: "x" };

  it("is the same only for the same candidate of the same task", () => {
    const ids = [of, { ...of }, { ...of, rank: 2 }, { ...of, title: "y" }].map((each) => proposalId(each, digest));
    expect(new Set(ids).size).toBe(3);
    expect(ids[0]).toBe(ids[1]);
    expect(ids[0]).toMatch(/^prop_[0-9a-f]{12}$/);
  });
});

const side = (text: string | Uint8Array, kind: FileSide["kind"] = "file"): FileSide => {
  const content = typeof text === "string" ? new TextEncoder().encode(text) : text;
  return { kind, bytes: content.length, content };
};
const change = (path: string, before: string | null, after: string | null): FileChange => ({
  path,
  before: before === null ? null : side(before),
  after: after === null ? null : side(after),
});

const same = (text: string): string => text;

describe("patchFingerprint()", () => {
  const base = [change("a.ts", "one\ntwo\n", "one\nthree\n"), change("b.ts", null, "new\n")];
  const fingerprint = patchFingerprint(base, same);

  it.each([
    ["another order of files", base.toReversed()],
    [
      "other indents and ends of lines",
      [change("a.ts", "one\n\ttwo\n", "one\r\n    three\r\n\n"), change("b.ts", null, " new")],
    ],
    [
      "another place in the file",
      [change("a.ts", "zero\none\ntwo\nfour\n", "zero\none\nthree\nfour\n"), change("b.ts", null, "new\n")],
    ],
  ])("is the same for %s", (_, changes) => {
    expect(patchFingerprint(changes, same)).toBe(fingerprint);
  });

  it.each([
    ["another line", [change("a.ts", "one\ntwo\n", "one\nfour\n"), change("b.ts", null, "new\n")]],
    ["a file less", base.slice(1)],
    ["another name", [change("c.ts", "one\ntwo\n", "one\nthree\n"), change("b.ts", null, "new\n")]],
    [
      "an emptied file instead of a deleted one",
      [change("a.ts", "one\ntwo\n", "one\nthree\n"), change("b.ts", null, "")],
    ],
  ])("differs for %s", (_, changes) => {
    expect(patchFingerprint(changes, same)).not.toBe(fingerprint);
  });

  it("distinguishes modes, binary content and unread files, and is null without changes", () => {
    const made = (after: FileSide): string | null => patchFingerprint([{ path: "x", before: null, after }], same);
    const all = [
      made(side("x")),
      made(side("x", "executable")),
      made(side(new Uint8Array([255, 0, 1]))),
      made(side(new Uint8Array([254, 0, 1]))),
      made({ kind: "file", bytes: 9e9, content: null }),
      made({ kind: "file", bytes: 8e9, content: null }),
    ];
    expect(new Set(all).size).toBe(all.length);
    expect(patchFingerprint([], same)).toBeNull();
  });
});
