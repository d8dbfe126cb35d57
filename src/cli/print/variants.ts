import { terminalLine } from "../../core/text/terminal-text.ts";
import type { TaskJson } from "../../http/client/client.ts";
import { shortId } from "./short-id.ts";
import { styleOfStatus, type Screen } from "./style.ts";
import { table, type Column } from "./table.ts";
import { money } from "./words.ts";

const COLUMNS: readonly Column[] = [
  { heading: "VARIANT" },
  { heading: "AGENT" },
  { heading: "STATUS" },
  { heading: "OUTCOME" },
  { heading: "COST", align: "right", drop: 2 },
  { heading: "CHOSEN" },
  { heading: "REASON", drop: 1 },
];

const MAX_REASON = 60;

/** The implementations that several agents made of the task. */
export function variantsTable(screen: Screen, { variants }: Pick<TaskJson, "variants">): string {
  const rows = variants.map((variant) => [
    shortId(screen, variant),
    terminalLine(variant.model === null ? variant.agent : `${variant.agent}:${variant.model}`, MAX_REASON),
    { text: variant.status, style: styleOfStatus(variant.status) },
    variant.outcome ?? "",
    money(variant.cost_usd),
    variant.is_chosen ? "yes" : "",
    terminalLine(variant.reason ?? "", MAX_REASON),
  ]);
  return table(screen, COLUMNS, rows);
}
