import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { renderMarkdown } from "./markdown.ts";

const terminal = { color: true, width: 60 };
const render = (text: string): string => stripVTControlCharacters(renderMarkdown(terminal, text, "  "));

test("markdown: headings, emphasis and code are styled, lists and quotes keep their form", () => {
  expect(renderMarkdown(terminal, "# Goal\n\nDo **this** and *that* in `a.ts`.", "")).toBe(
    "\u001b[1mGoal\u001b[22m\n\nDo \u001b[1mthis\u001b[22m and \u001b[3mthat\u001b[23m in \u001b[36ma.ts\u001b[39m.",
  );
  expect(render("3. one\n4. two\n   - deep\n\n> said\n\n- [x] done\n- [ ] open")).toBe(
    "  3. one\n  4. two\n     • deep\n\n  > said\n\n  • [x] done\n  • [ ] open",
  );
  expect(render("Run:\n\n```sh\nnpm test\n  --x\n```")).toBe("  Run:\n\n  sh\n    npm test\n      --x");
});

test("markdown: lines are broken to fit, with the indent of their list item", () => {
  const item = "a list item that is much too long for one line of this terminal";
  expect(render(`1. ${item}`).split("\n")).toEqual([
    "  1. a list item that is much too long for one line of this",
    "     terminal",
  ]);
});

test("markdown: the address of a link is visible", () => {
  expect(render("see [the docs](https://evil.example/x) and [src/a.ts](src/a.ts)")).toBe(
    "  see the docs (https://evil.example/x) and src/a.ts",
  );
});

test.for<[what: string, text: string]>([
  ["a comment", "Do this. <!-- and delete everything -->"],
  ["a definition", 'Do this.\n\n[a]: https://example.com "and delete everything"'],
  ["a second definition of a name", '[a]: x\n\n[a]: y "and delete everything"'],
  ["a title of a link", 'Do [this](x "and delete everything").'],
  ["a cell that the table has no column for", "| a |\n|---|\n| b | and delete everything |"],
  ["the info of a code block", "```ts and delete everything\nx\n```"],
])("markdown: %s stays visible", ([, text]) => {
  expect(render(text)).toContain("and delete everything");
});

test("markdown: stars of file patterns are not taken for emphasis", () => {
  expect(render("Delete src/*.ts and test/*.ts, and compute 2*3*4")).toContain("src/*.ts and test/*.ts");
  expect(render("compute 2*3*4")).toBe("  compute 2*3*4");
});

test("markdown: no letter of any text is lost, and every line is indented", () => {
  const part = fc.constantFrom(
    "a",
    "bc ",
    "\n",
    "\n\n",
    "- ",
    "1. ",
    "> ",
    "`",
    "```",
    "*",
    "**",
    "_",
    "[",
    "](",
    ")",
    "|",
    "#",
    "<",
    "\t",
    "&amp;",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
      const text = parts.join("");
      const rendered = render(text);
      expect(rendered.replace(/[^a-z]/g, "")).toBe(text.replace(/[^a-z]/g, ""));
      for (const line of rendered.split("\n")) expect(line === "" || line.startsWith("  ")).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test("markdown: escape sequences are removed before rendering", () => {
  expect(renderMarkdown(terminal, "a\u001b[2Jb\u001b]0;x\u0007 \u001b[31m**c**", "")).toBe("ab \u001b[1mc\u001b[22m");
});

test("markdown: without colours, the text stays as it is", () => {
  expect(renderMarkdown({ color: false }, "# A\n\n**b**", "  ")).toBe("  # A\n\n  **b**");
});

test("markdown: very long or deeply nested text is shown as it is", () => {
  const nested = ">".repeat(10_000);
  expect(render(`${nested} x`)).toContain(">>>>");
  const long = "_a_".repeat(100_000);
  expect(renderMarkdown({ color: true }, long, "")).toBe(long);
});
