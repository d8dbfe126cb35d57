import type { Command } from "commander";
import { REASON_KINDS } from "../core/nightly/proposal.ts";
import type { lazy } from "./program.ts";

/** Declares the commands about the rules of nightly analyses. */
export function addRuleCommands(program: Command, load: typeof lazy): void {
  const rules = program.command("rules").description("Manage the rules that nightly analyses follow");
  rules
    .command("list", { isDefault: true })
    .description("List the rules, and closed change requests without a reason")
    .option("--expired", "Include expired rules")
    .action(load(async () => (await import("./commands/rules.ts")).listRules));
  rules
    .command("add <text>")
    .description("Add a rule in your own words")
    .option("--expires <when>", "Set when the rule expires, such as 90d, 12w, 2027-01-31 or never (default: 180d)")
    .action(load(async () => (await import("./commands/rules.ts")).addRule));
  rules
    .command("edit <rule> <text>")
    .description("Change the text of a rule")
    .action(load(async () => (await import("./commands/rules.ts")).editRule));
  rules
    .command("expire <rule>")
    .description("Let a rule expire, now or at the given time")
    .option("--at <day>", "Set the day, such as 2027-01-31, or never")
    .option("--in <time>", "Set the time from now, such as 30d or 6w")
    .action(load(async () => (await import("./commands/rules.ts")).expireRule));
  rules
    .command("remove <rule>")
    .description("Delete a rule")
    .action(load(async () => (await import("./commands/rules.ts")).removeRule));
  rules
    .command("reason <task-or-proposal> <kind> [text]")
    .description(`Record why a change request was rejected: ${REASON_KINDS.join(", ")}`)
    .action(load(async () => (await import("./commands/rules.ts")).giveReason));
}
