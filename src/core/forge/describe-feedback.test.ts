import { expect, it } from "vitest";
import { describeCiFailures, describeForgeComments } from "./describe-feedback.ts";

it("describeForgeComments: names author and place, and shortens", () => {
  const at = { author: "alice", body: "rename it", file: "src/a.ts", line: 12 };
  expect(describeForgeComments([at, { ...at, file: null, line: null }])).toBe(
    "alice on src/a.ts:12:\nrename it\n\nalice:\nrename it",
  );
  const many = describeForgeComments(Array.from({ length: 80 }, () => ({ ...at, body: "x".repeat(9000) })));
  expect(many.length).toBeLessThan(110_000);
  expect(many).toContain("(30 more comments are left out)");
});

it("describeCiFailures: shows each failed job with the relevant part of its log", () => {
  const text = describeCiFailures([
    { name: "build", summary: "1 test failed", log: `${"noise\n".repeat(20_000)}error: expected 1\n` },
    { name: "lint", summary: "", log: null },
  ]);
  expect(text).toMatch(/^Failed: build\n1 test failed\n/);
  expect(text).toContain("error: expected 1");
  expect(text).toMatch(/Failed: lint$/);
  expect(text.length).toBeLessThan(10_000);
});
