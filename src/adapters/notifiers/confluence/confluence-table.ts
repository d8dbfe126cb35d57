import { escapeMarkup } from "../../../core/text/escape-markup.ts";

/** Finds the log table in a page (XHTML with macros) and inserts rows. The rest of the page stays unchanged. */

export const HEADINGS = ["Date", "Project", "Category", "Outcome", "Change request", "Cost", "Duration"] as const;

/** The cells of a row. Date and project identify it. */
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
  /** Position of the next row. */
  readonly end: number;
}

/** Returns the page with the row added, or null if it already has the row. */
export function addRow(page: string, row: Row): string | null {
  const table = findTables(page).find((each) => isRunLogTable(page.slice(each.start, each.end)));
  if (table === undefined) return `${page}<table><tbody>${headingRow()}${writeRow(row)}</tbody></table>`;
  if (listRows(page.slice(table.start, table.end)).some((cells) => isSameRun(cells, row))) return null;
  return page.slice(0, table.end) + writeRow(row) + page.slice(table.end);
}

// Tables in CDATA (code samples) and comments do not count.
const PARTS = /<!\[CDATA\[.*?\]\]>|<!--.*?-->|<(?<close>\/?)(?<name>table|tbody)\b(?<rest>[^>]*)>/gs;

/** Includes nested tables. Ignores tables without an end tag. */
function findTables(page: string): readonly Table[] {
  const tables: Table[] = [];
  const open: { readonly start: number; end: number | null }[] = [];
  for (const { index, groups } of page.matchAll(PARTS)) {
    if (groups?.["name"] === undefined || groups["rest"]?.endsWith("/") === true) continue;
    const isEndTag = groups["close"] === "/";
    if (groups["name"] === "table" && !isEndTag) open.push({ start: index, end: null });
    const inner = open.at(-1);
    if (!isEndTag || inner === undefined) continue;
    if (groups["name"] === "tbody") inner.end = index;
    else {
      open.pop();
      tables.push({ start: inner.start, end: inner.end ?? index });
    }
  }
  return tables.toSorted((one, other) => one.start - other.start);
}

function isRunLogTable(table: string): boolean {
  const [first = []] = listRows(table);
  return HEADINGS.every((heading, index) => first[index] === heading);
}

/** Returns the text of the cells of each row. */
function listRows(table: string): readonly (readonly string[])[] {
  return [...table.matchAll(/<tr\b[^>]*>(.*?)<\/tr>/gs)].map(([, row = ""]) =>
    [...row.matchAll(/<t[dh]\b[^>]*>(.*?)<\/t[dh]>/gs)].map(([, cell = ""]) => cell.replace(/<[^>]*>/g, "").trim()),
  );
}

function isSameRun(cells: readonly string[], { date, project }: Row): boolean {
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

/** Removes control characters, because XML does not allow them even when escaped. */
function escapeXml(text: string): string {
  // oxlint-disable-next-line no-control-regex -- matches control characters on purpose
  return escapeMarkup(text.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, ""));
}
