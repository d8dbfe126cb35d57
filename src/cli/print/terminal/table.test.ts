import { describe, expect, test } from "vitest";
import { textWidth } from "./fit-text.ts";
import { table, type Column } from "./table.ts";

const pipe = { color: false };
const COLUMNS: readonly Column[] = [
  { heading: "ID" },
  { heading: "KIND", drop: 1 },
  { heading: "STATUS" },
  { heading: "PATH", min: 10, keep: "end", drop: 2 },
  { heading: "TITLE", min: 12 },
];
const ROWS = [
  [
    "task_3k9x2f",
    "chore",
    "succeeded",
    "/home/me/projects/shop/src/price.ts",
    "Keep the sign of prices, 日本語のタイトル 👍",
  ],
  [
    "task_7fw65d",
    "feature",
    "failed",
    "src/a.ts",
    "Greet people by name and say good night to everyone who is still here",
  ],
];

const linesAt = (width: number, columns = COLUMNS, rows: Parameters<typeof table>[2] = ROWS): string[] =>
  table({ color: false, width }, columns, rows).trimEnd().split("\n");

test("table: columns are aligned, colours take no width, lines have no trailing spaces", () => {
  const rows = [
    ["task_1", { text: "ok", style: "green" }, "äöü"],
    ["t", "failed", ""],
  ] as const;
  const columns = [{ heading: "ID" }, { heading: "STATUS" }, { heading: "TITLE" }];
  expect(table({ color: true }, columns, rows)).toBe(
    "ID      STATUS  TITLE\ntask_1  \u001b[32mok\u001b[39m      äöü\nt       failed\n",
  );
});

test("table: numbers are aligned at the right edge of their column", () => {
  const columns = [{ heading: "NAME" }, { heading: "COST", align: "right" }] as const;
  expect(
    table(pipe, columns, [
      ["a", "$1.50"],
      ["b", "$12.00"],
    ]),
  ).toBe("NAME    COST\na      $1.50\nb     $12.00\n");
});

describe.each([40, 60, 80, 120, 200])("table: in a terminal of %i columns", (width) => {
  test("no line is wider than the terminal, and ids and statuses are complete", () => {
    const lines = linesAt(width);
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(width);
    expect(lines[1]).toMatch(/^task_3k9x2f .*succeeded/);
    expect(lines[2]).toMatch(/^task_7fw65d .*failed/);
  });
});

test("table: texts are cut before a column is left out, then the least important column goes first", () => {
  expect(linesAt(80)[0]).toMatch(/^ID +KIND +STATUS +PATH +TITLE$/);
  expect(linesAt(80)[1]).toMatch(/ …\S*src\/price\.ts {2}Keep the sign.*…$/);
  expect(linesAt(50)[0]).toMatch(/^ID +STATUS +PATH +TITLE$/);
  expect(linesAt(40)[0]).toMatch(/^ID +STATUS +TITLE$/);
  expect(linesAt(34)[1]).toBe("task_3k9x2f  succeeded  Keep the…");
  // In the end everything but the id is cut.
  expect(linesAt(26)[1]).toBe("task_3k9x2f  succ…  Keep…");
  expect(linesAt(20)).toEqual(linesAt(25));
});

test("table: in a pipe nothing is cut and no column is left out", () => {
  const text = table(pipe, [...COLUMNS, { heading: "EMPTY", drop: 1 }], ROWS);
  for (const cell of ROWS.flat()) expect(text).toContain(cell);
  expect(text).toMatch(/^.* EMPTY\n/);
});

test("table: a terminal shows no column without content", () => {
  expect(linesAt(80, [{ heading: "A" }, { heading: "FOR" }], [["x", ""]])).toEqual(["A", "x"]);
});

test("table: a cell can neither imitate a row nor control the terminal", () => {
  const rows = [["a\nb\u001b[2J", { text: "c\r\nd", style: "red" }]] as const;
  expect(table(pipe, [{ heading: "A" }, { heading: "B" }], rows)).toBe("A    B\na b  c d\n");
});

test("table: formats two hundred thousand rows", () => {
  const rows = Array.from({ length: 200_000 }, (_, n) => [String(n)]);
  expect(table(pipe, [{ heading: "N" }], rows).split("\n")).toHaveLength(200_002);
});
