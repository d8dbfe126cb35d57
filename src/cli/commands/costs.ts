import type { CostDimension } from "../../core/cost-dimensions.ts";
import { connect } from "../connect.ts";
import { answer, type CliContext } from "../context.ts";
import { plainCosts, tableOfCosts } from "../print/costs.ts";

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
  answer(context, found, () => (process.stdout.isTTY ? tableOfCosts(context, found) : plainCosts(found)));
}
