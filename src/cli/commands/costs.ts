import type { CostDimension } from "../../core/money/cost-dimensions.ts";
import { connect } from "../connect.ts";
import { printResult, type CliContext } from "../context.ts";
import { describeBudget } from "../print/budgets.ts";
import { costsTsv, costsTable } from "../print/costs.ts";

export interface CostsOptions {
  readonly since?: string;
  readonly until?: string;
  readonly by: readonly CostDimension[];
}

export async function costs(context: CliContext, { since, until, by }: CostsOptions): Promise<void> {
  const client = await connect(context);
  const query = {
    by: by.join(","),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    ...(context.project === null ? {} : { project: context.project }),
  };
  const found = await client.call("GET /costs", { query });
  // A pipe gets only the rows, without the budgets.
  if (context.json || !process.stdout.isTTY) return printResult(context, found, () => costsTsv(found));
  const { budgets } = await client.call("GET /budgets", {
    query: context.project === null ? {} : { project: context.project },
  });
  printResult(
    context,
    found,
    () => costsTable(context, found) + budgets.map((each) => `${describeBudget(each)}\n`).join(""),
  );
}
