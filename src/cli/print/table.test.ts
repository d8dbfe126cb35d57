import { expect, test } from "vitest";
import { table } from "./table.ts";

test("table: columns are aligned, colours take no width, lines have no trailing spaces", () => {
  const rows = [
    ["task_1", "\u001b[32mok\u001b[39m", "äöü"],
    ["t", "failed", ""],
  ];
  expect(table(["ID", "STATUS", "TITLE"], rows)).toBe(
    "ID      STATUS  TITLE\ntask_1  \u001b[32mok\u001b[39m      äöü\nt       failed\n",
  );
});

test("table: formats ten thousand rows", () => {
  expect(
    table(
      ["N"],
      Array.from({ length: 200_000 }, (_, n) => [String(n)]),
    ).split("\n"),
  ).toHaveLength(200_002);
});
