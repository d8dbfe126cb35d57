import { terminalLine } from "../../core/text/terminal-text.ts";
import type { ProposalJson, RuleJson } from "../../http/client/client.ts";
import { table } from "./table.ts";
import { plural } from "./words.ts";

const MAX_CELL = 100;
const MAX_LINE = 600;
const SHOWN = 5;

export function rulesTable(rules: readonly RuleJson[]): string {
  return table(
    ["RULE", "PROJECT", "EXPIRES", "FROM", "TEXT"],
    rules.map((rule) => [
      rule.id,
      terminalLine(rule.project, MAX_CELL),
      expires(rule),
      terminalLine(rule.url ?? rule.proposal ?? rule.by, MAX_CELL),
      terminalLine(rule.text, MAX_LINE),
    ]),
  );
}

export function ruleLine(rule: RuleJson): string {
  return `${rule.id}  ${expires(rule)}  ${terminalLine(rule.text, MAX_LINE)}\n`;
}

/** Tells the user that they have overwritten someone else's reason. */
export function replacedLine(before: ProposalJson["reason"]): string {
  if (before === null) return "";
  const words = before.text === "" ? "" : ` "${terminalLine(before.text, MAX_LINE)}"`;
  return `This replaces the reason of ${terminalLine(before.by, MAX_CELL)} from ${before.at.slice(0, 10)}: ${before.kind}${words}\n`;
}

function expires({ expires_at, expired }: RuleJson): string {
  if (expires_at === null) return "never";
  return expired ? `expired ${expires_at.slice(0, 10)}` : expires_at.slice(0, 10);
}

/** Lists closed change requests without a reason, or returns an empty string. */
export function unexplainedLines(proposals: readonly ProposalJson[]): string {
  if (proposals.length === 0) return "";
  const lines = proposals
    .slice(0, SHOWN)
    .map(({ id, title, url }) => `  ${id}  ${terminalLine(title, MAX_CELL)}${url === null ? "" : `  ${url}`}\n`);
  const more = proposals.length > SHOWN ? `  and ${proposals.length - SHOWN} more\n` : "";
  return `${plural(proposals.length, "change request")} closed without a reason. Add one with "nightshift rules reason <id> <kind>":\n${lines.join("")}${more}`;
}
