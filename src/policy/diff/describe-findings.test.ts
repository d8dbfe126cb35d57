import { describe, expect, test } from "vitest";
import { describeFindings, findingsIn } from "./describe-findings.ts";

describe("findingsIn", () => {
  const found = [
    { rule: "mode", severity: "warning", path: "a: b.ts", line: null, message: "Now: executable." },
    { rule: "size", severity: "error", path: "a", line: 12, message: "Too much: 300 lines." },
    { rule: "link", severity: "note", path: "a\n- error size b", line: 1, message: "Links out." },
    { rule: "conflict_marker", severity: "error", path: "a:7", line: 3, message: "x" },
  ] as const;

  test("reads the findings back, also of files with confusing names", () => {
    expect(
      findingsIn(
        describeFindings(found),
        found.map(({ path }) => path),
      ),
    ).toEqual(found);
  });

  test("keeps findings about other files", () => {
    expect(findingsIn("- error known_change src/x.ts:4: Seen before: no.\n- and 3 more", [])).toEqual([
      { rule: "known_change", severity: "error", path: "src/x.ts", line: 4, message: "Seen before: no." },
    ]);
  });
});
