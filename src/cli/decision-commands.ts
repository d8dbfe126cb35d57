import { Option, type Command } from "commander";
import { MERGE_METHODS } from "../core/forge/merge.ts";
import { REASON_KINDS } from "../core/nightly/proposal.ts";
import { NEXT_STEPS } from "../core/task/task.ts";
import { collect } from "./option-values.ts";
import type { lazy } from "./program.ts";

/** Declares the commands with which people decide about tasks and nightly analyses. */
export function addDecisionCommands(program: Command, load: typeof lazy): void {
  program.commandsGroup("Decide:");
  program
    .command("approve <task>")
    .description("Approve a task's plan")
    .option("--plan <hash>", 'Approve only the plan with this hash (see "nightshift show")')
    .option("--edit", "Change the plan of a staged task in your editor, and approve that")
    .option("--wait", "Wait until the task ends or needs a person again")
    .action(load(async () => (await import("./commands/act.ts")).approve));
  program
    .command("reject <task> [reason]")
    .description("Reject the plan or change that the task waits with")
    .action(load(async () => (await import("./commands/act.ts")).reject));
  program
    .command("revise <task> <feedback>")
    .description("Request a new plan, with feedback")
    .option("--wait", "Wait until the task ends or needs a person again")
    .action(load(async () => (await import("./commands/act.ts")).revise));
  program
    .command("answer <task> <answers...>")
    .description("Answer the agent's questions: <question>=<answer> …")
    .option("--wait", "Wait until the task ends or needs a person again")
    .action(load(async () => (await import("./commands/act.ts")).answerQuestions));
  program
    .command("choose <task> <option>")
    .description("Choose one of the options that the agent proposed")
    .option("--note <text>", "Give the reason for the choice")
    .addOption(
      new Option(
        "--then <step>",
        "Set what happens to the fix of a bug: plan it first, or implement it directly (default: plan)",
      ).choices(NEXT_STEPS),
    )
    .option("--wait", "Wait until the task ends or needs a person again")
    .action(load(async () => (await import("./commands/act.ts")).choose));
  program
    .command("comment <task> [summary]")
    .description("Review a change that waits for its merge: an agent gets the comments")
    .option(
      "--at <place-and-comment>",
      "Add a comment on a line, as '<file>:<line> <comment>'; can be repeated",
      collect,
    )
    .option("--commit <hash>", 'Review this commit only (see "nightshift show"; default: the newest one)')
    .option("--wait", "Wait until the task ends or needs a person again")
    .action(load(async () => (await import("./commands/comment.ts")).comment));
  program
    .command("merge <task>")
    .description("Merge the reviewed commit: at the forge, or without one into the remote's default branch")
    .addOption(new Option("--method <method>", "Choose how to merge").choices(MERGE_METHODS))
    .option("--note <text>", "Give the reason, which is needed if the review did not approve the change")
    .action(load(async () => (await import("./commands/act.ts")).merge));
  program
    .command("apply <task>")
    .description("Write the files of an ended task to the checkout")
    .option(
      "--force",
      "Overwrite files that were changed since the task started, and leave out files that cannot be written",
    )
    .option("--dry-run", "Show what would be written")
    .action(load(async () => (await import("./commands/apply.ts")).apply));
  addRuleCommands(program, load);
}

function addRuleCommands(program: Command, load: typeof lazy): void {
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
