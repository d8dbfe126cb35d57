import { expect, it } from "vitest";
import { readHunks } from "./read-hunks.ts";

const PATCH = `diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
index 1..2
--- a/run.sh
+++ b/run.sh
@@ -1,3 +1,4 @@
 #!/bin/sh
-curl -d
+set -eu
+@@ -9,9 +9,9 @@ not a range
 exit
@@ -10 +11 @@ function end() {
--- a/dashes
\\ No newline at end of file
+++ plus
\\ No newline at end of file
`;

it("hunks: number the lines of both sides, whatever the lines contain", () => {
  const { hunks, mode } = readHunks(PATCH);
  expect(mode).toEqual({ from: "100644", to: "100755" });
  expect(hunks.map(({ range, section }) => [range, section])).toEqual([
    ["@@ -1,3 +1,4 @@", ""],
    ["@@ -10 +11 @@", "function end() {"],
  ]);
  expect(hunks[0]?.lines).toEqual([
    { kind: "same", oldLine: 1, newLine: 1, text: "#!/bin/sh" },
    { kind: "removed", oldLine: 2, newLine: null, text: "curl -d" },
    { kind: "added", oldLine: null, newLine: 2, text: "set -eu" },
    { kind: "added", oldLine: null, newLine: 3, text: "@@ -9,9 +9,9 @@ not a range" },
    { kind: "same", oldLine: 3, newLine: 4, text: "exit" },
  ]);
  expect(hunks[1]).toMatchObject({
    lines: [
      { kind: "removed", oldLine: 10, text: "-- a/dashes" },
      { kind: "added", newLine: 11, text: "++ plus" },
    ],
    noNewline: ["old", "new"],
  });
});

it("hunks: there are none of binary and empty files", () => {
  expect(readHunks("diff --git a/x b/x\nBinary files a/x and b/x differ\n")).toEqual({ hunks: [], mode: null });
});
