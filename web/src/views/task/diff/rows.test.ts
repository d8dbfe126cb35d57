import { describe, expect, it } from "vitest";
import { collectChange, type DiffJson, type ReviewJson } from "./change.ts";
import { listRows, type Layout, type Row } from "./rows.ts";
import type { LineDraft } from "./use-review-draft.ts";

const PATCH = `diff --git a/a.ts b/a.ts
--- a/a.ts
+++ b/a.ts
@@ -1,3 +1,3 @@
 same
-const old = 1;
-gone
+const new = 1;
 end
diff --git a/b.ts b/b.ts
--- a/b.ts
+++ b/b.ts
@@ -1 +1 @@
-x
+y
`;

const file = (path: string) => ({ path, change: "modified" as const, insertions: 1, deletions: 1, binary: false });

// Only these fields are used.
const diff = (more: Partial<DiffJson> = {}): DiffJson =>
  ({ patch: PATCH, files: [file("a.ts"), file("b.ts")], findings: [], cut: false, ...more }) as DiffJson;

const review = (comments: readonly Partial<ReviewJson["comments"][number]>[]): ReviewJson => ({
  verdict: "changes_requested",
  commit: "c",
  is_current: true,
  summary: "No.",
  comments: comments.map((each) => ({ file: null, line: null, severity: "nit", comment: "!", answer: null, ...each })),
  run: null,
  by: "ada",
  at: "2026-11-16T02:00:00.000Z",
});

const draft = (more: Partial<LineDraft>): LineDraft => ({
  id: "d",
  file: "a.ts",
  line: 2,
  severity: "nit",
  text: "?",
  isOpen: true,
  ...more,
});

interface Given {
  readonly layout?: Layout;
  readonly drafts?: readonly LineDraft[];
  readonly reviews?: readonly ReviewJson[];
  readonly more?: Partial<DiffJson>;
  readonly closed?: string;
}

function rows({ layout = "unified", drafts = [], reviews = [], more = {}, closed }: Given): readonly Row[] {
  const isClosed = ({ path }: { readonly path: string }): boolean => path === closed;
  return listRows(collectChange(diff(more), reviews), { layout, drafts, isClosed, isCut: more.cut ?? false });
}

function describeRow(row: Row): string {
  if (row.kind === "line") return `${row.line.oldLine ?? ""}:${row.line.newLine ?? ""} ${row.line.text}`;
  if (row.kind === "pair") return `${row.left?.text ?? ""} | ${row.right?.text ?? ""}`;
  return row.kind === "file" ? row.file.path : row.kind;
}

describe("rows of a diff", () => {
  it("have one line each in one column, and both sides in two", () => {
    const [one] = [rows({ closed: "b.ts" }).map(describeRow)];
    expect(one).toEqual([
      "a.ts",
      "hunk",
      "1:1 same",
      "2: const old = 1;",
      "3: gone",
      ":2 const new = 1;",
      "4:3 end",
      "end",
      "b.ts",
      "end",
    ]);
    const two = rows({ layout: "split", closed: "b.ts" }).map(describeRow);
    expect(two.slice(2, 6)).toEqual(["same | same", "const old = 1; | const new = 1;", "gone | ", "end | end"]);
  });

  it("compare each line with the most similar one that replaces it", () => {
    const lines = rows({}).flatMap((row) => (row.kind === "line" && row.file.path === "a.ts" ? [row.line] : []));
    expect(lines.map(({ text, partner }) => [text, partner])).toEqual([
      ["same", null],
      ["const old = 1;", "const new = 1;"],
      ["gone", null],
      ["const new = 1;", "const old = 1;"],
      ["end", null],
    ]);
    expect(lines.map(({ oldIndex, newIndex }) => `${oldIndex},${newIndex}`)).toEqual([
      "0,0",
      "1,1",
      "2,1",
      "3,1",
      "3,2",
    ]);
  });

  it("have comments, findings and drafts below their line, and those of other lines below the file's name", () => {
    const finding = { rule: "mode", severity: "note", path: "a.ts", line: null, message: "m" } as const;
    const reviews = [review([{ file: "a.ts", line: 2 }, { file: "a.ts", line: 99 }, { file: "gone.ts", line: 1 }, {}])];
    const found = rows({ reviews, drafts: [draft({})], more: { findings: [finding] }, closed: "b.ts" }).map(
      describeRow,
    );
    expect(found.join(" / ")).toBe(
      "general / general / a.ts / finding / remark / hunk / 1:1 same / 2: const old = 1; / 3: gone / " +
        ":2 const new = 1; / remark / draft / 4:3 end / end / b.ts / end",
    );
  });

  it("begin with the files that have findings", () => {
    const finding = { rule: "mode", severity: "note", path: "b.ts", line: 1, message: "m" } as const;
    const paths = rows({ more: { findings: [finding] } }).flatMap((row) => (row.kind === "file" ? row.file.path : []));
    expect(paths).toEqual(["b.ts", "a.ts"]);
  });

  it("have unique keys", () => {
    const reviews = [review([{ file: "a.ts", line: 2 }, { file: "a.ts", line: 2 }, {}]), review([{}])];
    for (const layout of ["unified", "split"] as const) {
      const keys = rows({ layout, reviews, drafts: [draft({}), draft({ id: "e", line: null })] }).map(({ key }) => key);
      expect(new Set(keys).size).toBe(keys.length);
    }
  });

  it("say that a file is missing in a patch that was cut", () => {
    const found = rows({ more: { cut: true, files: [file("a.ts"), file("z.ts")] } });
    expect(found.find(({ kind, file: each }) => kind === "note" && each?.path === "z.ts")).toMatchObject({
      text: expect.stringContaining("cut before this file"),
    });
  });
});
