import { expect, test } from "vitest";
import { table } from "./table.ts";

test("columns line up, colours take no room, lines end with their last word", () => {
  const rows = [
    ["task_1", "\u001b[32mok\u001b[39m", "äöü"],
    ["t", "failed", ""],
  ];
  expect(table(["ID", "STATUS", "TITLE"], rows)).toBe(
    "ID      STATUS  TITLE\ntask_1  \u001b[32mok\u001b[39m      äöü\nt       failed\n",
  );
});

test("ten thousand rows are no problem", () => {
  expect(
    table(
      ["N"],
      Array.from({ length: 200_000 }, (_, n) => [String(n)]),
    ).split("\n"),
  ).toHaveLength(200_002);
});
