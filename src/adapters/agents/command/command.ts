import { isAbsolute } from "node:path";
import { UserError } from "../../../core/text/errors.ts";
import type { Agent, AgentCommand, AgentRun } from "../../../ports/agent.ts";
import { OWN_CAPABILITIES, parseOwnLine } from "../shared/own-events.ts";

const PROMPT_FILE = "{{prompt_file}}";

export interface CommandSettings {
  /** The program and its arguments. */
  readonly command?: readonly string[] | undefined;
  readonly prompt?: "stdin" | "file" | undefined;
}

/**
 * Any program: it reads the prompt from stdin, or with `prompt: file` from the file whose path replaces `{{prompt_file}}` in
 * its arguments, works in its current directory, writes the outcome file, and ends. What it prints is its transcript.
 */
export function command({ command: words = [], prompt = "stdin" }: CommandSettings): Agent {
  const [program, ...args] = words;
  if (program === undefined || program === "") {
    throw new UserError(
      "invalid",
      "An agent of kind `command` needs a `command` of yours, such as `[./tools/my-agent]`.",
    );
  }
  if (prompt === "file" && !args.some((arg) => arg.includes(PROMPT_FILE))) {
    throw new UserError(
      "invalid",
      `The agent \`${program}\` gets its prompt as a file, but no argument of \`command\` says where it goes.`,
      `Add an argument with ${PROMPT_FILE}, or write \`prompt: stdin\`.`,
    );
  }
  return {
    kind: "command",
    capabilities: OWN_CAPABILITIES,
    program: { name: program, versionArgs: [], oldest: null, install: "Install it, or correct `command`." },
    parseLine: parseOwnLine,
    command: ({ promptFile, model }: AgentRun): AgentCommand => ({
      argv: [program, ...args.map((arg) => arg.replaceAll(PROMPT_FILE, () => promptFile))],
      // A program of the user's own has no argument for the model that we could know.
      env: model === null ? {} : { NIGHTSHIFT_MODEL: model },
      prompt,
      // What a file of settings names by its path: the program's own script, its configuration.
      read: args.filter((arg) => isAbsolute(arg)),
      files: {},
    }),
  };
}
