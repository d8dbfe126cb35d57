/** Pages are XHTML with macros in it, and most of a page is not ours: it is searched for our table and never rewritten. */

export const HEADINGS = ["Date", "Project", "Category", "Outcome", "Change request", "Cost", "Duration"] as const;

/** What a row shows; the first two tell it from the others. */
export interface Row {
  readonly date: string;
  readonly project: string;
  readonly category: string;
  readonly outcome: string;
  readonly url: string | null;
  readonly cost: string;
  readonly duration: string;
}

interface Table {
  readonly start: number;
  /** Where the next row belongs. */
  readonly end: number;
}

/** The same text with one more row; null where the row is there already. Every other byte stays. */
export function addRow(page: string, row: Row): string | null {
  const table = findTables(page).find((each) => isOurs(page.slice(each.start, each.end)));
  if (table === undefined) return `${page}<table><tbody>${headingRow()}${writeRow(row)}</tbody></table>`;
  if (listRows(page.slice(table.start, table.end)).some((cells) => isSame(cells, row))) return null;
  return page.slice(0, table.end) + writeRow(row) + page.slice(table.end);
}

// What stands in CDATA (a code sample) or in a comment is no table, whatever it looks like.
const PARTS = /<!\[CDATA\[.*?\]\]>|<!--.*?-->|<(?<close>\/?)(?<name>table|tbody)\b(?<rest>[^>]*)>/gs;

/** With nested ones; a table that does not end is none. */
function findTables(page: string): readonly Table[] {
  const tables: Table[] = [];
  const open: { readonly start: number; end: number | null }[] = [];
  for (const { index, groups } of page.matchAll(PARTS)) {
    if (groups?.["name"] === undefined || groups["rest"]?.endsWith("/") === true) continue;
    const closes = groups["close"] === "/";
    if (groups["name"] === "table" && !closes) open.push({ start: index, end: null });
    const inner = open.at(-1);
    if (!closes || inner === undefined) continue;
    if (groups["name"] === "tbody") inner.end = index;
    else {
      open.pop();
      tables.push({ start: inner.start, end: inner.end ?? index });
    }
  }
  return tables.toSorted((one, other) => one.start - other.start);
}

function isOurs(table: string): boolean {
  const [first = []] = listRows(table);
  return HEADINGS.every((heading, index) => first[index] === heading);
}

/** The texts of the cells, row by row. */
function listRows(table: string): readonly (readonly string[])[] {
  return [...table.matchAll(/<tr\b[^>]*>(.*?)<\/tr>/gs)].map(([, row = ""]) =>
    [...row.matchAll(/<t[dh]\b[^>]*>(.*?)<\/t[dh]>/gs)].map(([, cell = ""]) => cell.replace(/<[^>]*>/g, "").trim()),
  );
}

function isSame(cells: readonly string[], { date, project }: Row): boolean {
  return cells[0] === escapeXml(date) && cells[1] === escapeXml(project);
}

function headingRow(): string {
  return `<tr>${HEADINGS.map((name) => `<th><p>${name}</p></th>`).join("")}</tr>`;
}

function writeRow({ date, project, category, outcome, url, cost, duration }: Row): string {
  const link = url === null ? "" : `<a href="${escapeXml(url)}">${escapeXml(url)}</a>`;
  const cells = [...[date, project, category, outcome].map(escapeXml), link, escapeXml(cost), escapeXml(duration)];
  return `<tr>${cells.map((cell) => `<td><p>${cell}</p></td>`).join("")}</tr>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** XML knows no control characters, in whatever spelling. */
function escapeXml(text: string): string {
  return (
    text
      .toWellFormed()
      // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "")
      .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "")
  );
}
