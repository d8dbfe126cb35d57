import { terminalText } from "../../../core/text/terminal-text.ts";
import { cutText, textWidth } from "./fit-text.ts";
import { paint, type Screen, type Style } from "./style.ts";

export interface Column {
  readonly heading: string;
  /** The text may be cut to this width before other columns are left out. Columns without it are cut last. */
  readonly min?: number;
  /** The end of a text that stays when it is cut. Default: its start. */
  readonly keep?: "start" | "end";
  /** On a narrow terminal, the column with the lowest number is left out first. Columns without a number stay. */
  readonly drop?: number;
  readonly align?: "right";
}

/** A text from anywhere: the table removes escape sequences and line breaks, which could imitate a row. */
export type Cell = string | { readonly text: string; readonly style: Style };

const GAP = "  ";
const LEAST_WIDTH = 6;
/** For the columns that should not be cut at all. */
const LAST_RESORT_WIDTH = 5;

/**
 * Formats a table. On a terminal it is at most as wide as the terminal: long texts are cut, then the least important columns
 * are left out. Columns without content are left out as well. In a pipe, every column is complete.
 */
export function table(screen: Screen, columns: readonly Column[], rows: readonly (readonly Cell[])[]): string {
  const texts = rows.map((row) => columns.map((_, index) => cleanCell(row[index] ?? "")));
  const natural = columns.map(({ heading }, index) =>
    texts.reduce((widest, row) => Math.max(widest, textWidth(row[index] ?? "")), textWidth(heading)),
  );
  const hasContent = (index: number): boolean => texts.some((row) => row[index] !== "");
  const shown = columns.flatMap((column, index) =>
    screen.width === undefined || hasContent(index) ? [{ ...column, index, width: natural[index] ?? 0 }] : [],
  );
  const fitted = fitColumns(shown, screen.width ?? Infinity);
  const line = (cells: readonly string[], styles: readonly (Style | null)[]): string =>
    fitted
      .map(({ index, width, align, keep }, position) => {
        const text = cutText(cells[index] ?? "", width, keep);
        const style = styles[index] ?? null;
        const painted = style === null ? text : paint(screen, style, text);
        const space = " ".repeat(width - textWidth(text));
        if (align === "right") return `${space}${painted}`;
        return position === fitted.length - 1 ? painted : `${painted}${space}`;
      })
      .join(GAP)
      .trimEnd();
  const heading = line(
    columns.map((column) => column.heading),
    [],
  );
  const body = rows.map((row, index) => line(texts[index] ?? [], row.map(styleOf)));
  return [heading, ...body].map((each) => `${each}\n`).join("");
}

interface FittedColumn extends Column {
  readonly index: number;
  readonly width: number;
}

/** If the columns that must stay are still too wide, texts are cut further, and then everything but the first column. */
function fitColumns(columns: readonly FittedColumn[], limit: number): readonly FittedColumn[] {
  const shrunk = shrinkColumns(columns, limit);
  if (totalWidth(shrunk) <= limit) return shrunk;
  const [least] = columns.filter(({ drop }) => drop !== undefined).toSorted((a, b) => (a.drop ?? 0) - (b.drop ?? 0));
  if (least !== undefined)
    return fitColumns(
      columns.filter((column) => column !== least),
      limit,
    );
  const cut = shrinkColumns(
    columns.map((column) => (column.min === undefined ? column : { ...column, min: LEAST_WIDTH })),
    limit,
  );
  return shrinkColumns(
    cut.map((column, position) => (position === 0 ? column : { ...column, min: LAST_RESORT_WIDTH })),
    limit,
  );
}

/** Takes from the widest column first, so that short texts stay complete. */
function shrinkColumns(columns: readonly FittedColumn[], limit: number): readonly FittedColumn[] {
  const widths = columns.map(({ width }) => width);
  const room = (index: number): number => {
    const { min } = columns[index] ?? {};
    return min === undefined ? 0 : (widths[index] ?? 0) - min;
  };
  for (let excess = totalWidth(columns) - limit; excess > 0; excess -= 1) {
    const widest = widths.reduce(
      (best, width, index) => (room(index) > 0 && width > (widths[best] ?? 0) ? index : best),
      -1,
    );
    if (widest === -1) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return columns.map((column, index) => ({ ...column, width: widths[index] ?? column.width }));
}

function totalWidth(columns: readonly FittedColumn[]): number {
  return columns.reduce((sum, { width }) => sum + width, GAP.length * (columns.length - 1));
}

function cleanCell(cell: Cell): string {
  return terminalText(typeof cell === "string" ? cell : cell.text)
    .replace(/[\n\t]+ */g, " ")
    .trim();
}

function styleOf(cell: Cell): Style | null {
  return typeof cell === "string" ? null : cell.style;
}
