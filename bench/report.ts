import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** One row of the table. */
export interface Measured {
  readonly row: string;
  readonly what: string;
  readonly unit: "ms" | "MB" | "KB" | "lines";
  readonly value: number;
  /** The value to compare with, measured in the same run. */
  readonly baseline: number | null;
  readonly target: Target | null;
}

export interface Target {
  readonly text: string;
  readonly met: boolean;
}

export function atMost(value: number, limit: number, text: string): Target {
  return { text: `≤ ${text}`, met: value <= limit };
}

export function printTable(rows: readonly Measured[]): string {
  const head = ["", "what", "measured", "baseline", "ratio", "must reach", ""];
  const cells = rows.map((row) => [
    row.row,
    row.what,
    amount(row.value, row.unit),
    row.baseline === null ? "" : amount(row.baseline, row.unit),
    row.baseline === null ? "" : `${(row.value / row.baseline).toFixed(2)} ×`,
    row.target?.text ?? "",
    row.target === null ? "" : row.target.met ? "yes" : "NO",
  ]);
  const all = [head, head.map(() => "---"), ...cells];
  return `${all.map((line) => `| ${line.join(" | ")} |`).join("\n")}\n`;
}

export function writeResults(rows: readonly Measured[], about: Readonly<Record<string, unknown>>): string {
  const dir = join(import.meta.dirname, "results");
  mkdirSync(dir, { recursive: true });
  const file = join(dir, `${new Date().toISOString().replaceAll(":", "-").slice(0, 19)}.json`);
  writeFileSync(file, `${JSON.stringify({ ...about, rows }, null, 2)}\n`);
  return file;
}

function amount(value: number, unit: string): string {
  return `${value.toFixed(value < 10 ? 1 : 0)} ${unit}`;
}
