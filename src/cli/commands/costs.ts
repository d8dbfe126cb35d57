import type { CostDimension } from "../../core/money/cost-dimensions.ts";
import { connect } from "../daemon/connect.ts";
import { printResult, type CliContext } from "../context.ts";
import { requireKnownProject } from "../project/find-project.ts";
import { costsTsv, costsTable, describeBudget } from "../print/costs.ts";

export interface CostsOptions {
  readonly since?: string;
  readonly until?: string;
  readonly by: readonly CostDimension[];
}

export async function costs(context: CliContext, { since, until, by }: CostsOptions): Promise<void> {
  const client = await connect(context);
  const project = context.project ?? undefined;
  const found = await client.call("GET /costs", { query: { by: by.join(","), since, until, project } });
  if (found.rows.length === 0) await requireKnownProject(context, client);
  // A pipe gets only the rows, without the budgets.
  if (context.json || !process.stdout.isTTY) return printResult(context, found, () => costsTsv(found));
  const { budgets } = await client.call("GET /budgets", { query: { project } });
  printResult(
    context,
    found,
    () => costsTable(context, found) + budgets.map((each) => `${describeBudget(each)}\n`).join(""),
  );
}
