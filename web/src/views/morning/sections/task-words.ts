import type { ReportedTaskJson } from "../../../../../src/http/client/client.ts";
import { formatMoney, plural } from "../../../ui/format.ts";

/** "$2.05 and 1 run of unknown cost". Null if no agent worked. */
export function describeCost({ cost_usd: usd, unknown_cost: unknown }: ReportedTaskJson): string | null {
  const rest = plural(unknown, "run of unknown cost", "runs of unknown cost");
  if (usd === null) return unknown === 0 ? null : rest;
  return unknown === 0 ? formatMoney(usd) : `${formatMoney(usd)} and ${rest}`;
}
