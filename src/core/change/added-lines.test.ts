import { expect, it } from "vitest";
import { readAddedLines } from "./added-lines.ts";

const PATCH = `diff --git a/a.ts b/a.ts
index 1..2 100644
--- a/a.ts
+++ b/a.ts
@@ -1,3 +1,4 @@
 one
-two
+2
+two and a half
 three
@@ -10 +11 @@ function
--- a/fake.ts
+++ b/fake.ts
diff --git a/gone.ts b/gone.ts
--- a/gone.ts
+++ /dev/null
@@ -1 +0,0 @@
-gone
diff --git a/with space.ts b/with space.ts
--- /dev/null
+++ b/with space.ts\t
@@ -0,0 +1,2 @@
+x
+y
\\ No newline at end of file
`;

it("added lines: contains the numbers in the new file, also if a line of the change looks like a file header", () => {
  const found = [...readAddedLines(PATCH)].map(([file, lines]) => [file, [...lines]]);
  expect(found).toEqual([
    ["a.ts", [2, 3, 11]],
    ["with space.ts", [1, 2]],
  ]);
});
