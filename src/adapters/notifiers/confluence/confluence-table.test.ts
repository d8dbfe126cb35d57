import { describe, expect, test } from "vitest";
import { addRow, HEADINGS, type Row } from "./confluence-table.ts";

const ROW: Row = {
  date: "2026-03-02 02:14:07",
  project: "shop",
  category: "docs",
  outcome: "published",
  url: "https://git.example.com/7?a=1&b=2",
  cost: "$0.42",
  duration: "12 min",
};
const WRITTEN =
  "<tr><td><p>2026-03-02 02:14:07</p></td><td><p>shop</p></td><td><p>docs</p></td><td><p>published</p></td>" +
  '<td><p><a href="https://git.example.com/7?a=1&amp;b=2">https://git.example.com/7?a=1&amp;b=2</a></p></td>' +
  "<td><p>$0.42</p></td><td><p>12 min</p></td></tr>";
const HEAD = `<tr>${HEADINGS.map((name) => `<th><p>${name}</p></th>`).join("")}</tr>`;

test("addRow: appends the table to a page without one", () => {
  expect(addRow("<p>Hello</p>", ROW)).toBe(`<p>Hello</p><table><tbody>${HEAD}${WRITTEN}</tbody></table>`);
  expect(addRow("", ROW)).toBe(`<table><tbody>${HEAD}${WRITTEN}</tbody></table>`);
});

describe("addRow: a page with the table", () => {
  // As written by the editor, with attributes and column widths.
  const before =
    `<h1>Nights &ndash; 🌙</h1><table data-layout="wide"><colgroup><col style="width: 10px;" /></colgroup><tbody>` +
    HEAD.replaceAll("<th>", '<th class="confluenceTh"><strong>').replaceAll("</th>", "</strong></th>") +
    "<tr><td>2026-03-01 02:00:00</td><td>shop</td><td /></tr>";
  const after = `</tbody></table>\r\n<ac:structured-macro ac:name="toc" /><p>end</p>`;

  test("adds a row and changes nothing else", () => {
    expect(addRow(before + after, ROW)).toBe(before + WRITTEN + after);
  });

  test("does not add a row twice", () => {
    const once = addRow(before + after, ROW) ?? "";
    expect(addRow(once, ROW)).toBeNull();
    // Confluence may return it with additional attributes.
    expect(addRow(once.replaceAll("<td><p>", '<td data-x="1"><p local-id="9">'), ROW)).toBeNull();
    expect(addRow(once, { ...ROW, project: "web" })).not.toBeNull();
    expect(addRow(once, { ...ROW, date: "2026-03-03 02:14:07" })).not.toBeNull();
  });

  test("ignores other tables, nested tables, code and comments", () => {
    const others =
      "<table><tbody><tr><th>Name</th></tr></tbody></table>" +
      `<ac:plain-text-body><![CDATA[<table><tbody>${HEAD}</tbody></table>]]></ac:plain-text-body>` +
      `<!-- <table><tbody>${HEAD}</tbody></table> -->`;
    const nested = "<tr><td>a<table><tbody><tr><td>b</td></tr></tbody></table></td></tr>";
    expect(addRow(others + before + nested + after, ROW)).toBe(others + before + nested + WRITTEN + after);
  });

  test("handles a table without tbody and ignores one without an end", () => {
    expect(addRow(`<table>${HEAD}</table>`, ROW)).toBe(`<table>${HEAD}${WRITTEN}</table>`);
    const broken = `<table><tbody>${HEAD}`;
    expect(addRow(broken, ROW)).toBe(`${broken}<table><tbody>${HEAD}${WRITTEN}</tbody></table>`);
  });
});

test("addRow: escapes cells so that the page stays valid XML", () => {
  const unsafe = "</p></td></tr></tbody></table><script>&\"'\u0000\u001b\ud800";
  const page = addRow("", { ...ROW, category: unsafe, outcome: unsafe, url: `https://x/"onclick='` }) ?? "";
  expect(page).not.toContain("<script>");
  expect(page).toContain("&lt;/p&gt;&lt;/td&gt;");
  expect(page).toContain('<a href="https://x/&quot;onclick=&#39;">');
  // oxlint-disable-next-line no-control-regex -- matches control characters on purpose
  expect(page).not.toMatch(/[\u0000-\u001f]/);
  expect(page.match(/<\/table>/g)).toHaveLength(1);
  expect(page.isWellFormed()).toBe(true);
});
