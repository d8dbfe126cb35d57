import { stripVTControlCharacters } from "node:util";

/** Formats a plain text table. Each column is as wide as its widest cell. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = headings.map((heading, column) =>
    rows.reduce((widest, row) => Math.max(widest, width(row[column] ?? "")), width(heading)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell + " ".repeat(Math.max(0, (widths[column] ?? 0) - width(cell))))
      .join("  ")
      .trimEnd();
  // A cell with a line break could imitate a row.
  return [headings, ...rows].map((cells) => `${line(cells).replaceAll("\n", " ")}\n`).join("");
}

function width(cell: string): number {
  return Array.from(stripVTControlCharacters(cell)).length;
}
