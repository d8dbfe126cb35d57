import { Argument, Command, Option } from "commander";
import { SINGLE_ROLES } from "../core/task/role.ts";
import { CATEGORIES } from "../core/nightly/category.ts";
import { COST_DIMENSIONS } from "../core/money/cost-dimensions.ts";
import { COMPLEXITIES, PRIORITIES, SIZES, TASK_STATUSES } from "../core/task/task.ts";
import { terminalOutput } from "../core/text/terminal-text.ts";
import { createContext, type CliContext, type GlobalOptions } from "./context.ts";
import { addDecisionCommands } from "./decision-commands.ts";
import { allCommands, completeCommand, describeSubcommand } from "./help.ts";
import { addMachineCommands } from "./machine-commands.ts";
import { collect, costDimensions, money, port, positiveNumber, wholeNumber } from "./option-values.ts";
import { version } from "./version.ts";

type Run<A extends readonly unknown[]> = (context: CliContext, ...args: A) => Promise<void>;

export async function runProgram(argv: readonly string[], json: boolean): Promise<void> {
  const program = createProgram();
  // With --json, report-error.ts prints usage errors to stdout as JSON, so commander must not print them to stderr.
  const writeErr = (text: string) => void (json || process.stderr.write(terminalOutput(text)));
  for (const command of [program, ...allCommands(program)]) command.configureOutput({ writeErr });
  if (argv.length === 0) return program.outputHelp();
  await program.parseAsync([...argv], { from: "user" });
}

/** Declares all commands and flags. The code of a command is loaded when it is called. */
export function createProgram(): Command {
  const program = new Command("nightshift")
    .description(
      "Put AI coding agents on the night shift: submit work in the evening, get verified change requests in the morning.",
    )
    .version(version(), "--version", "Print the version")
    .helpOption("-h, --help", "Show help")
    .helpCommand("help [command]", "Show the help of a command")
    .option("--json", "Print one JSON value to stdout and nothing else")
    .option("--project <name>", "Use this project (default: the project of the current folder)")
    .option("--quiet", "Print no progress to stderr")
    .option("--no-color", "Print no colours")
    .showHelpAfterError('(run "nightshift --help" for a list of commands)')
    .showSuggestionAfterError()
    .configureHelp({ subcommandTerm: describeSubcommand })
    .addHelpText(
      "after",
      '\nExample:\n  nightshift demo\n\nIn your own repository:\n  nightshift init\n  nightshift submit --pipeline chore "Greet people by name" --wait\n',
    )
    .exitOverride();
  addProjectCommands(program);
  addTaskCommands(program);
  addDecisionCommands(program, lazy);
  addReadingCommands(program);
  addDaemonCommands(program);
  addMachineCommands(program, lazy);
  allCommands(program).forEach(completeCommand);
  return program;
}

function addProjectCommands(program: Command): void {
  program.commandsGroup("Set up a project:");
  program
    .command("init")
    .description("Detect checks, default branch and remote; write nightshift.yaml; register and trust the project")
    .option("--force", "Overwrite an existing nightshift.yaml")
    .option("--url <git url>", "Register a project without a checkout")
    .option(
      "--yes",
      "Accept the permissions that an existing nightshift.yaml requests; allow the package registry in a new one",
    )
    .option("--no-run", "Skip the run of the checks")
    .action(lazy(async () => (await import("./commands/init.ts")).init));
  program
    .command("trust")
    .description("Show the additional permissions that the project's files request, and accept them")
    .option("--yes", "Accept without a prompt")
    .option("--no-run", "Skip the run of the checks")
    .action(lazy(async () => (await import("./commands/trust.ts")).trust));
  program
    .command("projects")
    .description("List the registered projects")
    .option("--remove <name>", "Remove a project from the list")
    .option("--with-tasks", "Delete the project's tasks too, with --remove")
    .action(lazy(async () => (await import("./commands/projects.ts")).projects));
  program
    .command("demo")
    .description("Try Nightshift in a temporary repository with a scripted agent; needs no key and no account")
    .option(
      "--once",
      "Stop the daemon and end after the night instead of keeping the page running (default without a terminal)",
    )
    .option("--no-open", "Open no browser")
    .option("--clean", "Remove the repository and all data afterwards")
    .action(lazy(async () => (await import("./commands/demo.ts")).demo));
}

function addDaemonCommands(program: Command): void {
  program.commandsGroup("Manage the daemon and this machine:");
  program
    .command("start")
    .description("Start the daemon")
    .option("--foreground", "Run in this terminal instead of in the background")
    .option("--port <n>", "Listen on this port (default: server.port, or the port of the last start)", port)
    .action(lazy(async () => (await import("./commands/machine/start.ts")).start));
  program
    .command("open [task]")
    .description("Open the page in your browser, signed in; starts the daemon if needed")
    .option("--print", "Print the link instead; it works once and for ten minutes")
    .option("--for <name>", "Print a link for another person, who has a token; needs the right admin")
    .action(lazy(async () => (await import("./commands/open.ts")).open));
  program
    .command("stop")
    .description("Stop the daemon; running agents continue under their supervisors")
    .option("--force", "End the running agents too")
    .action(lazy(async () => (await import("./commands/machine/stop.ts")).stop));
  program
    .command("status")
    .description("Show the status of the daemon and its tasks")
    .action(lazy(async () => (await import("./commands/machine/status.ts")).status));
  program
    .command("doctor")
    .description("Check this machine and its configuration; works without a daemon")
    .option("--no-run", "Skip the run of the project's checks")
    .action(lazy(async () => (await import("./commands/machine/doctor.ts")).doctor));
  const token = program.command("token").description("Manage API tokens of people");
  token
    .command("list", { isDefault: true })
    .description("List the tokens")
    .action(lazy(async () => (await import("./commands/token.ts")).listTokens));
  token
    .command("add <name>")
    .description("Create a token; it is shown only once")
    .requiredOption("--may <rights>", "Grant these rights, separated by commas: submit, approve, admin")
    .action(lazy(async () => (await import("./commands/token.ts")).addToken));
  token
    .command("remove <name>")
    .description("Revoke a token")
    .action(lazy(async () => (await import("./commands/token.ts")).removeToken));
  program
    .command("clear")
    .description("Remove all of Nightshift's data on this machine")
    .option("--yes", "Remove without a prompt")
    .action(lazy(async () => (await import("./commands/machine/clear.ts")).clear));
  program
    .command("completion")
    .description("Print the completion script of a shell")
    .addArgument(new Argument("<shell>", "Name of the shell").choices(["bash", "zsh", "fish"]))
    .action(lazy(async () => (await import("./commands/machine/completion.ts")).completion));
}

function addTaskCommands(program: Command): void {
  program.commandsGroup("Submit and control tasks:");
  program
    .command("submit [text]")
    .description("Submit a task")
    .option(
      "--pipeline <name>",
      "Use this pipeline: chore, feature, bug, improve, staged or one defined by the project (default: staged)",
    )
    .option("--title <title>", "Set the title (default: the first line of the text)")
    .option("--from <file>", "Read the task from a Markdown file with optional front matter, or from stdin with -")
    .option("--issue <n>", "Read title and text from this issue of the project's forge", wholeNumber)
    .option("--agent <name>", "Use this agent instead of the project's")
    .option("--model <id>", "Use this model instead of the agent's default")
    .option(
      "--best-of <agents>",
      "Let 2 to 5 agents implement it and continue with the best, such as claude-code,codex",
    )
    .option("--budget <usd>", "Limit the cost of the whole task", money)
    .option("--timeout <duration>", "Limit the time of a run, such as 30m")
    .option("--planning-timeout <duration>", "Limit the time of a run that plans (default for staged: 120s)")
    .option("--max-turns <n>", "Limit the turns of a run", wholeNumber)
    .option("--auto-approve", "Skip a person's approval")
    .option("--allow-dir <dir>", "Let a staged task write here too, whatever its plan says; repeatable", collect)
    .option("--design", "Include a design step")
    .addOption(new Option("--priority <p>", "Set the priority in the queue (default: normal)").choices(PRIORITIES))
    .addOption(new Option("--size <s>", "Set the size of the task").choices(SIZES))
    .addOption(new Option("--complexity <c>", "Set the complexity of the task").choices(COMPLEXITIES))
    .option("--tag <tag>", "Add a tag; repeatable", collect)
    .option("--related <task>", "Include this task in the prompts: its documents, summaries and change")
    .option("--after <task>", "Start only after this task has succeeded; repeatable", collect)
    .option("--until <state>", "Stop after this state of the pipeline, such as planning or checking")
    .option("--allow-overlap", "Allow work at the same time as other tasks whose plans name the same files")
    .option("--in-place", "Let a staged task work directly in the project's directory, without a workspace")
    .option("--without-checks", "Start the task even if the project's checks are not accepted and do not run")
    .option("--yes", "Register the current directory as a project, if it is none, without a prompt")
    .option("--wait", "Wait until the task ends or needs a person")
    .option("--detach", "Return at once, without asking about the plan of a staged task")
    .action(lazy(async () => (await import("./commands/submit.ts")).submit));
  program
    .command("improve")
    .description("Run the nightly improvement now")
    .addOption(
      new Option("--category <c>", "Start with this category (default: the categories scheduled for today)").choices(
        CATEGORIES,
      ),
    )
    .option("--only", "Try no other category if this one finds nothing")
    .option("--dry-run", "Show what would run, with prompts, limits, budget and permissions; start nothing")
    .option("--prompts", "Show the full prompts, with --dry-run")
    .option("--without-checks", "Start the task even if the project's checks are not accepted and do not run")
    .option("--wait", "Wait until the task ends or needs a person")
    .action(lazy(async () => (await import("./commands/improve.ts")).improve));
  program
    .command("review <url>")
    .description("Review a change request that a person wrote, and post the review after your approval")
    .option("--post", "Post the review without asking for approval; needs the right to approve")
    .option("--agent <name>", "Use this agent instead of the project's")
    .option("--model <id>", "Use this model instead of the agent's default")
    .option("--budget <usd>", "Limit the cost of the whole task", money)
    .option("--timeout <duration>", "Limit the time of a run, such as 30m")
    .option("--max-turns <n>", "Limit the turns of a run", wholeNumber)
    .option("--note <text>", "Add a note for the reviewer, such as what to look at")
    .option("--without-checks", "Start the task even if the project's checks are not accepted and do not run")
    .option("--wait", "Wait until the task ends or needs a person")
    .action(lazy(async () => (await import("./commands/review.ts")).review));
  const schedule = program.command("schedule").description("Show and run schedules");
  schedule
    .command("list", { isDefault: true })
    .description("List the upcoming runs")
    .option("--days <n>", "Show this number of days", positiveNumber, 7)
    .action(lazy(async () => (await import("./commands/schedule.ts")).listSchedule));
  schedule
    .command("run <name>")
    .description("Run a schedule's work now")
    .option("--wait", "Wait until the task ends or needs a person")
    .action(lazy(async () => (await import("./commands/schedule.ts")).runSchedule));
  addControlCommands(program);
}

function addControlCommands(program: Command): void {
  for (const [name, description] of [
    ["pause", "Pause the task and suspend its processes"],
    ["resume", "Resume a paused task"],
    ["cancel", "End the task: ask the agent to stop, then end its process tree"],
    ["kill", "End the task and its process tree immediately"],
  ] as const)
    program
      .command(`${name} <task>`)
      .description(description)
      .action(lazy(async () => (await import("./commands/act.ts"))[name]));
  program
    .command("retry <task>")
    .description("Retry a failed or cancelled task")
    .option("--from <state>", "Start from this state of the pipeline")
    .option("--agent <name>", "Use this agent from now on")
    .option("--model <id>", "Use this model from now on")
    .option("--timeout <duration>", "Limit the time of a run from now on, such as 30m")
    .option("--max-turns <n>", "Limit the turns of a run from now on", wholeNumber)
    .option("--budget <usd>", "Limit the cost of the whole task", money)
    .option("--wait", "Wait until the task ends or needs a person")
    .action(lazy(async () => (await import("./commands/act.ts")).retry));
  program
    .command("follow-up <task> <text>")
    .description("Continue a task that has ended or waits for its merge, with an additional request")
    .option("--after <task>", "Continue only after this task has succeeded; repeatable", collect)
    .option("--wait", "Wait until the task ends or needs a person")
    .action(lazy(async () => (await import("./commands/act.ts")).followUp));
  program
    .command("run <task>")
    .description("Run one role on a task that waits or has ended, without moving the task")
    .addArgument(new Argument("<role>", "Role of the agent").choices(SINGLE_ROLES))
    .option("--wait", "Wait until the run has ended")
    .action(lazy(async () => (await import("./commands/act.ts")).runRole));
  program
    .command("delete <task>")
    .description("Remove an ended task and its workspace")
    .action(lazy(async () => (await import("./commands/act.ts")).remove));
}

function addReadingCommands(program: Command): void {
  program.commandsGroup("Inspect tasks and costs:");
  program
    .command("queue")
    .description("List the tasks")
    .option("--status <word>", `Show only this status (${TASK_STATUSES.join(", ")}) or state`)
    .option("--limit <n>", "Show at most this number of tasks", positiveNumber, 50)
    .action(lazy(async () => (await import("./commands/queue.ts")).queue));
  program
    .command("show <task>")
    .description("Show everything known about a task, and the possible actions")
    .action(lazy(async () => (await import("./commands/show.ts")).show));
  program
    .command("results <task>")
    .description("Show a task's outcome, changed files, cost and error")
    .option("--show-output", "Include the raw output")
    .action(lazy(async () => (await import("./commands/results.ts")).results));
  program
    .command("display <task>")
    .description("Show the transcripts of a task's runs: text, tool calls, results, usage")
    .option("--follow", "Follow until the task ends or needs a person")
    .option("--full", "Show parameters and results of tools in full")
    .option("--no-pager", "Print directly instead of through $PAGER")
    .action(lazy(async () => (await import("./commands/display.ts")).display));
  program
    .command("diff <task>")
    .description("Show a task's change as a patch")
    .action(lazy(async () => (await import("./commands/diff.ts")).diff));
  program
    .command("report")
    .description("Show what happened in the last night, what waits for you, and what it cost")
    .option("--night <day>", "Show the night that began on this day (2026-11-15)")
    .option("--since <day>", "Start at this day or timestamp, or 7d for the last seven days; until now")
    .addOption(
      new Option("--format <name>", "Print in this format").choices(["text", "md", "html", "json"]).default("text"),
    )
    .action(lazy(async () => (await import("./commands/report.ts")).report));
  program
    .command("costs")
    .description("Show costs by day, night, project, pipeline, role, agent or model")
    .option(
      "--since <day>",
      "Start at this day (2026-11-15) or timestamp, or 7d for the last seven days (default: 30d)",
    )
    .option("--until <day>", "End after this day or at this timestamp (default: now)")
    .addOption(
      new Option("--by <what>", `Group by these, separated by commas: ${COST_DIMENSIONS.join(", ")}`)
        .argParser(costDimensions)
        .default(["day"], "day"),
    )
    .action(lazy(async () => (await import("./commands/costs.ts")).costs));
  program
    .command("agents")
    .description("List the agents, and whether they can be used")
    .option("--retry <name>", "Try a parked agent now instead of at its next attempt")
    .action(lazy(async () => (await import("./commands/agents.ts")).agents));
}

/** Loads a command when it is called. Commander calls an action with the arguments, the options and the command itself. */
export function lazy<A extends readonly unknown[]>(
  load: () => Promise<Run<A>>,
): (...given: unknown[]) => Promise<void> {
  return async (...given) => {
    const command = given.at(-1);
    if (!(command instanceof Command)) throw new Error("commander called an action without its command");
    const run = await load();
    const context = createContext(command.optsWithGlobals<GlobalOptions>());
    // The cast is safe as long as the declared arguments and options match the function's parameters.
    await run(context, ...(given.slice(0, -1) as unknown as A));
  };
}
