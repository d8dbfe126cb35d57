import type { CostsJson } from "../../http/client.ts";
import { connect } from "../connect.ts";
import { answer, type CliContext } from "../context.ts";
import { table } from "../print/table.ts";
import { money } from "../print/words.ts";

export interface CostsOptions {
  readonly since?: string;
  readonly until?: string;
  readonly by: "day" | "project" | "pipeline" | "role" | "agent" | "model";
}

export async function costs(context: CliContext, { since, until, by }: CostsOptions): Promise<void> {
  const client = await connect(context);
  const query = {
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    ...(context.project === null ? {} : { project: context.project }),
  };
  const found = await client.call("GET /costs", { query });
  answer(context, found, () => render(found, by));
}

function render({ rows, total }: CostsJson, by: CostsOptions["by"]): string {
  const groups = Map.groupBy(rows, (row) => row[by] ?? "–");
  const lines = [...groups].map(([name, members]) => [
    name,
    String(sum(members, ({ runs }) => runs)),
    String(sum(members, ({ tokens }) => tokens.input + tokens.cache_read + tokens.cache_write)),
    String(sum(members, ({ tokens }) => tokens.output)),
    money(
      sum(members, ({ cost_usd }) => cost_usd),
      sum(members, ({ unknown_cost }) => unknown_cost),
    ),
  ]);
  const all = [
    "all",
    String(total.runs),
    String(total.tokens.input + total.tokens.cache_read + total.tokens.cache_write),
    String(total.tokens.output),
    money(total.cost_usd, total.unknown_cost),
  ];
  return table([by.toUpperCase(), "RUNS", "TOKENS IN", "TOKENS OUT", "COST"], [...lines, all]);
}

function sum<T>(rows: readonly T[], of: (row: T) => number): number {
  return rows.reduce((total, row) => total + of(row), 0);
}
