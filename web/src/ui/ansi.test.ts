import { expect, it } from "vitest";
import { renderAnsi } from "./ansi.tsx";

it("colours of a program become classes of the theme, also over the end of a line", () => {
  expect(renderAnsi("\u001b[31;1mFAIL\u001b[0m a\n\u001b[32mone\ntwo\u001b[39m three")).toEqual([
    '<span class="a-B a-r">FAIL</span> a',
    '<span class="a-g">one</span>',
    '<span class="a-g">two</span> three',
  ]);
});

it("markup, links and other sequences of a program are inert", () => {
  expect(
    renderAnsi("<script>alert(1)</script> \"a' & \u001b]8;;http://evil.example\u0007click\u001b]8;;\u0007"),
  ).toEqual(["&lt;script&gt;alert(1)&lt;/script&gt; &quot;a&#x27; &amp; click"]);
  expect(renderAnsi("\u001b]0;title\u0007\u001b[2J\u001b[10;10Hat\u202e end\u001b")).toEqual(["at end"]);
  expect(renderAnsi('\u001b[38;2;1;2;3mstyle="color:red" onclick=x\u001b[0m')).toEqual([
    "<span>style=&quot;color:red&quot; onclick=x</span>",
  ]);
});

it("a sequence that is cut at the end of a line hides nothing of the next one", () => {
  expect(renderAnsi("a\u001b[3\nb")).toEqual(["a3", "b"]);
});
