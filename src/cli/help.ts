import { Option, type Command } from "commander";
import { didYouMean } from "../core/text/did-you-mean.ts";
import { terminalLine } from "../core/text/terminal-text.ts";
import { EXAMPLES } from "./examples.ts";

const MAX_WORD = 100;

/** Adds to a command what all of them have: the global options, an example, and errors that point to its own help. */
export function completeCommand(command: Command): void {
  const path = pathOf(command);
  // Accepts global options after the command too: `nightshift queue --json`.
  command
    .addOption(new Option("--json", "Print one JSON value to stdout").hideHelp())
    .addOption(new Option("--project <name>", "Use this project").hideHelp())
    .addOption(new Option("--quiet", "Print no progress").hideHelp())
    .addOption(new Option("--no-color", "Print no colours").hideHelp())
    .showHelpAfterError(`(run "nightshift ${path} --help" for its arguments and options)`)
    .exitOverride((error) => {
      throw Object.assign(error, { hint: `Run "nightshift ${path} --help" for its arguments and options.` });
    })
    .hook("preSubcommand", refuseUnknownSubcommand)
    .addHelpText(
      "after",
      `\nExample:\n  nightshift ${EXAMPLES[path] ?? ""}\n\nEvery command also takes --json, --project <name>, --quiet and --no-color.`,
    );
}

/** Without this, commander takes an unknown subcommand for an argument of the default one. */
function refuseUnknownSubcommand(command: Command, subcommand: Command): void {
  const [word] = command.args;
  if (word === undefined || word.startsWith("-") || word === subcommand.name()) return;
  const names = command.commands.map((each) => each.name());
  command.error(`error: unknown command '${terminalLine(word, MAX_WORD)}'.${didYouMean(word, names)}`, {
    code: "commander.unknownCommand",
  });
}

/** Such as `rules add`. */
function pathOf(command: Command): string {
  return command.parent?.parent == null ? command.name() : `${command.parent.name()} ${command.name()}`;
}

export function allCommands(command: Command): readonly Command[] {
  return command.commands.flatMap((child) => [child, ...allCommands(child)]);
}

/** The name and the arguments. Every command has options, so they are not mentioned. */
export function describeSubcommand(command: Command): string {
  const args = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return [command.name(), ...args].join(" ");
}
