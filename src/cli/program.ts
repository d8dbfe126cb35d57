import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { CATEGORIES } from "../core/nightly/category.ts";
import { COST_DIMENSIONS, type CostDimension } from "../core/money/cost-dimensions.ts";
import { REASON_KINDS } from "../core/nightly/proposal-reason.ts";
import { COMPLEXITIES, PRIORITIES, SIZES, TASK_STATUSES } from "../core/task/task.ts";
import { createContext, type CliContext, type GlobalOptions } from "./context.ts";
import { EXAMPLES } from "./examples.ts";
import { version } from "./version.ts";

type Run<A extends readonly unknown[]> = (context: CliContext, ...args: A) => Promise<void>;

export async function runProgram(argv: readonly string[], json: boolean): Promise<void> {
  const program = createProgram();
  // With --json even wrong use is told on stdout alone (report-error.ts).
  if (json)
    for (const command of [program, ...allCommands(program)]) command.configureOutput({ writeErr: () => undefined });
  if (argv.length === 0) return program.outputHelp();
  await program.parseAsync([...argv], { from: "user" });
}

/** Every command with its flags; what a command does is loaded when it is called. */
export function createProgram(): Command {
  const program = new Command("nightshift")
    .description(
      "Puts AI coding agents on the night shift: hand work over in the evening, get verified change requests in the morning.",
    )
    .version(version(), "--version")
    .option("--json", "one JSON value on stdout, nothing else")
    .option("--project <name>", "the project (default: the one of this folder)")
    .option("--quiet", "no progress on stderr")
    .option("--no-color", "no colours")
    .showHelpAfterError("(nightshift --help lists the commands)")
    .showSuggestionAfterError()
    .addHelpText(
      "after",
      '\nExample:\n  nightshift demo\n\nIn your own repository:\n  nightshift init\n  nightshift submit --pipeline chore "Greet people by name" --wait\n',
    )
    .exitOverride();
  addProjectCommands(program);
  addDaemonCommands(program);
  addTaskCommands(program);
  addDecisionCommands(program);
  addRuleCommands(program);
  addReadingCommands(program);
  for (const command of allCommands(program)) {
    inheritGlobals(command);
    addExample(command);
  }
  return program;
}

function addProjectCommands(program: Command): void {
  program
    .command("init")
    .description("detect checks, default branch and remote; write nightshift.yaml; register and trust the project")
    .option("--force", "write nightshift.yaml anew")
    .option("--url <git url>", "register a project without a checkout")
    .option("--yes", "accept what a nightshift.yaml that is already there asks for")
    .action(lazy(async () => (await import("./commands/init.ts")).init));
  program
    .command("trust")
    .description("show what the project's files would widen, and accept it")
    .option("--yes", "accept without asking")
    .action(lazy(async () => (await import("./commands/trust.ts")).trust));
  program
    .command("projects")
    .description("the registered projects")
    .option("--remove <name>", "forget a project")
    .action(lazy(async () => (await import("./commands/projects.ts")).projects));
  program
    .command("demo")
    .description("the whole product on a throw-away repository with the scripted agent: no key, no account")
    .option("--clean", "remove the repository and the data afterwards")
    .action(lazy(async () => (await import("./commands/demo.ts")).demo));
}

function addDaemonCommands(program: Command): void {
  program
    .command("start")
    .description("start the daemon")
    .option("--foreground", "stay in this terminal")
    .option("--port <n>", "listen on this port of 127.0.0.1 (default: any that is free)", port)
    .action(lazy(async () => (await import("./commands/start.ts")).start));
  program
    .command("stop")
    .description("stop the daemon; running agents go on under their supervisors")
    .option("--force", "end the running agents too")
    .action(lazy(async () => (await import("./commands/stop.ts")).stop));
  program
    .command("status")
    .description("the daemon and its work in numbers")
    .action(lazy(async () => (await import("./commands/status.ts")).status));
  program
    .command("doctor")
    .description("check this machine, also without a daemon")
    .action(lazy(async () => (await import("./commands/doctor.ts")).doctor));
  const token = program.command("token").description("tokens for people");
  token
    .command("list", { isDefault: true })
    .description("who has one")
    .action(lazy(async () => (await import("./commands/token.ts")).listTokens));
  token
    .command("add <name>")
    .description("make one; it is shown once")
    .requiredOption("--may <rights>", "submit, approve, admin (comma-separated)")
    .action(lazy(async () => (await import("./commands/token.ts")).addToken));
  token
    .command("remove <name>")
    .description("take it back")
    .action(lazy(async () => (await import("./commands/token.ts")).removeToken));
  program
    .command("clear")
    .description("remove all data of Nightshift on this machine")
    .option("--yes", "without asking")
    .action(lazy(async () => (await import("./commands/clear.ts")).clear));
  program
    .command("completion")
    .description("the completion script of a shell")
    .addArgument(new Argument("<shell>", "which one").choices(["bash", "zsh", "fish"]))
    .action(lazy(async () => (await import("./commands/completion.ts")).completion));
}

function addTaskCommands(program: Command): void {
  program
    .command("submit [text]")
    .description("hand over a task")
    .option("--pipeline <name>", "chore, feature, bug, improve, staged or one of the project's own", "staged")
    .option("--title <title>", "default: the first line")
    .option("--from <file>", "read the text from a file")
    .option("--agent <name>", "another agent than the project's")
    .option("--model <id>", "another model")
    .option("--budget <usd>", "at most this much for the whole task", money)
    .option("--timeout <duration>", "of a run, such as 30m")
    .option("--auto-approve", "do not wait for a person's approval")
    .option("--design", "with a design step")
    .addOption(new Option("--priority <p>", "how soon").choices(PRIORITIES).default("normal"))
    .addOption(new Option("--size <s>", "how big").choices(SIZES))
    .addOption(new Option("--complexity <c>", "how hard").choices(COMPLEXITIES))
    .option("--tag <tag>", "repeatable", collect, [])
    .option("--wait", "until it ends or waits for a person")
    .action(lazy(async () => (await import("./commands/submit.ts")).submit));
  program
    .command("improve")
    .description("the nightly improvement, now")
    .addOption(
      new Option("--category <c>", "what to improve (default: what is scheduled for today)").choices(CATEGORIES),
    )
    .option("--only", "no other category when that one has nothing")
    .option("--dry-run", "show what would run, with which prompts, limits, budget and permissions; start nothing")
    .option("--prompts", "with --dry-run: the prompts in full")
    .option("--wait", "until it ends or waits for a person")
    .action(lazy(async () => (await import("./commands/improve.ts")).improve));
  const schedule = program.command("schedule").description("what will run when");
  schedule
    .command("list", { isDefault: true })
    .description("the coming days")
    .option("--days <n>", "how many", wholeNumber, 7)
    .action(lazy(async () => (await import("./commands/schedule.ts")).listSchedule));
  schedule
    .command("run <name>")
    .description("do a schedule's work now")
    .option("--wait", "until it ends or waits for a person")
    .action(lazy(async () => (await import("./commands/schedule.ts")).runSchedule));
  for (const [name, description] of [
    ["pause", "stop the task's process tree where it is"],
    ["resume", "let a paused task go on"],
    ["cancel", "end the task: politely, then the tree"],
    ["kill", "end the task's process tree now"],
  ] as const)
    program
      .command(`${name} <task>`)
      .description(description)
      .action(lazy(async () => (await import("./commands/act.ts"))[name]));
  program
    .command("retry <task>")
    .description("let a failed or cancelled task go on")
    .option("--from <state>", "from this state of its pipeline")
    .option("--wait", "until it ends or waits for a person")
    .action(lazy(async () => (await import("./commands/act.ts")).retry));
  program
    .command("delete <task>")
    .description("remove an ended task and its workspace")
    .action(lazy(async () => (await import("./commands/act.ts")).remove));
}

function addDecisionCommands(program: Command): void {
  program
    .command("approve <task>")
    .description("approve the plan that was shown")
    .option("--plan <hash>", "the hash of the plan (nightshift show)")
    .action(lazy(async () => (await import("./commands/decide.ts")).approve));
  program
    .command("reject <task> [reason]")
    .description("reject what waits")
    .action(lazy(async () => (await import("./commands/decide.ts")).reject));
  program
    .command("revise <task> <feedback>")
    .description("send the plan back with feedback")
    .action(lazy(async () => (await import("./commands/decide.ts")).revise));
  program
    .command("answer <task> <answers...>")
    .description("answer the agent's questions: <question>=<answer> …")
    .option("--wait", "until it ends or waits again")
    .action(lazy(async () => (await import("./commands/decide.ts")).answerQuestions));
  program
    .command("choose <task> <option>")
    .description("choose one of the options")
    .option("--note <text>", "why")
    .action(lazy(async () => (await import("./commands/decide.ts")).choose));
}

function addRuleCommands(program: Command): void {
  const rules = program.command("rules").description("what analyses are to keep in mind");
  rules
    .command("list", { isDefault: true })
    .description("the rules, and closed change requests that nobody explained")
    .option("--expired", "those that have ended too")
    .action(lazy(async () => (await import("./commands/rules.ts")).listRules));
  rules
    .command("add <text>")
    .description("a rule in your own words")
    .option("--expires <when>", "such as 90d, 12w, 2027-01-31 or never (default: 180d)")
    .action(lazy(async () => (await import("./commands/rules.ts")).addRule));
  rules
    .command("edit <rule> <text>")
    .description("other words for it")
    .action(lazy(async () => (await import("./commands/rules.ts")).editRule));
  rules
    .command("expire <rule>")
    .description("let it end, now unless told when")
    .option("--at <day>", "on that day, such as 2027-01-31, or never")
    .option("--in <time>", "after that time, such as 30d or 6w")
    .action(lazy(async () => (await import("./commands/rules.ts")).expireRule));
  rules
    .command("remove <rule>")
    .description("as if it had never been said")
    .action(lazy(async () => (await import("./commands/rules.ts")).removeRule));
  rules
    .command("reason <task-or-proposal> <kind> [text]")
    .description(`why a change request is not wanted: ${REASON_KINDS.join(", ")}`)
    .action(lazy(async () => (await import("./commands/rules.ts")).giveReason));
}

function addReadingCommands(program: Command): void {
  program
    .command("queue")
    .description("the tasks")
    .option("--status <word>", `a status (${TASK_STATUSES.join(", ")}) or a state`)
    .option("--limit <n>", "at most this many", wholeNumber, 50)
    .action(lazy(async () => (await import("./commands/queue.ts")).queue));
  program
    .command("show <task>")
    .description("everything known about a task, and what can be done with it")
    .action(lazy(async () => (await import("./commands/show.ts")).show));
  program
    .command("results <task>")
    .description("outcome, files changed, cost, error")
    .option("--show-output", "the raw output too")
    .action(lazy(async () => (await import("./commands/results.ts")).results));
  program
    .command("display <task>")
    .description("the session for human eyes: text, tool calls, results, usage")
    .option("--follow", "until the task ends or waits for a person")
    .action(lazy(async () => (await import("./commands/display.ts")).display));
  program
    .command("diff <task>")
    .description("the change")
    .action(lazy(async () => (await import("./commands/diff.ts")).diff));
  program
    .command("costs")
    .description("by day, project, pipeline, role, agent and model")
    .option("--since <day>", "a day (2026-11-15), a moment, or 7d for the last seven days (default: 30d)")
    .option("--until <day>", "a day, which counts whole, or a moment (default: now)")
    .addOption(
      new Option("--by <what>", `what to sum by, comma-separated: ${COST_DIMENSIONS.join(", ")}`)
        .argParser(costDimensions)
        .default(["day"], "day"),
    )
    .action(lazy(async () => (await import("./commands/costs.ts")).costs));
  program
    .command("agents")
    .description("what is installed, and whether it can be used")
    .action(lazy(async () => (await import("./commands/agents.ts")).agents));
}

/** Commander calls an action with the arguments, the options and the command itself. */
function lazy<A extends readonly unknown[]>(load: () => Promise<Run<A>>): (...given: unknown[]) => Promise<void> {
  return async (...given) => {
    const command = given.at(-1);
    if (!(command instanceof Command)) throw new Error("commander did not hand over the command");
    const run = await load();
    const context = createContext(command.optsWithGlobals<GlobalOptions>());
    // The declared arguments and options of the command are what its function takes.
    await run(context, ...(given.slice(0, -1) as unknown as A));
  };
}

/** So that `nightshift queue --json` works as well as `nightshift --json queue`. */
function inheritGlobals(command: Command): void {
  command
    .addOption(new Option("--json", "one JSON value on stdout").hideHelp())
    .addOption(new Option("--project <name>", "the project").hideHelp())
    .addOption(new Option("--quiet", "no progress").hideHelp())
    .addOption(new Option("--no-color", "no colours").hideHelp());
}

function addExample(command: Command): void {
  const path = command.parent?.parent == null ? command.name() : `${command.parent.name()} ${command.name()}`;
  const example = EXAMPLES[path];
  if (example !== undefined)
    command.addHelpText(
      "after",
      `\nExample:\n  nightshift ${example}\n\nEvery command also takes --json, --project <name>, --quiet and --no-color.`,
    );
}

function allCommands(command: Command): readonly Command[] {
  return command.commands.flatMap((child) => [child, ...allCommands(child)]);
}

function wholeNumber(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError("It must be a whole number.");
  return Number(value);
}

function port(value: string): number {
  if (wholeNumber(value) > 65_535) throw new InvalidArgumentError("It must be a port, 0 to 65535.");
  return Number(value);
}

function money(value: string): number {
  if (!/^\d+(\.\d+)?$/.test(value)) throw new InvalidArgumentError("It must be an amount in USD, such as 2.50.");
  return Number(value);
}

function costDimensions(value: string): readonly CostDimension[] {
  const words = value.split(",").map((word) => word.trim());
  const known = COST_DIMENSIONS.filter((dimension) => words.includes(dimension));
  if (known.length === 0 || words.some((word) => !known.some((dimension) => dimension === word)))
    throw new InvalidArgumentError(`It must be one or more of ${COST_DIMENSIONS.join(", ")}, with commas between.`);
  return known.toSorted((a, b) => words.indexOf(a) - words.indexOf(b));
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}
