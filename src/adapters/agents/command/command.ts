import { isAbsolute } from "node:path";
import { UserError } from "../../../core/text/errors.ts";
import type { Agent, AgentCommand, AgentRun } from "../../../ports/agent.ts";
import { MINIMAL_CAPABILITIES, parseEventLine } from "../shared/event-lines.ts";

const PROMPT_FILE = "{{prompt_file}}";

export interface CommandSettings {
  /** The program and its arguments. */
  readonly command?: readonly string[] | undefined;
  readonly prompt?: "stdin" | "file" | undefined;
}

/**
 * Any program that reads the prompt from stdin, or with `prompt: file` from the file whose path replaces `{{prompt_file}}` in
 * its arguments, works in the current directory, writes the outcome file and exits. Its output is the transcript.
 */
export function command({ command: words = [], prompt = "stdin" }: CommandSettings): Agent {
  const [program, ...args] = words;
  if (program === undefined || program === "") {
    throw new UserError("invalid", "An agent of kind `command` needs a `command`, such as `[./tools/my-agent]`.");
  }
  if (prompt === "file" && !args.some((arg) => arg.includes(PROMPT_FILE))) {
    throw new UserError(
      "invalid",
      `The agent \`${program}\` uses \`prompt: file\`, but no argument of \`command\` contains ${PROMPT_FILE}.`,
      `Add an argument with ${PROMPT_FILE}, or set \`prompt: stdin\`.`,
    );
  }
  return {
    kind: "command",
    capabilities: MINIMAL_CAPABILITIES,
    program: { name: program, versionArgs: [], oldest: null, install: "Install it, or correct `command`." },
    parseLine: parseEventLine,
    command: ({ promptFile, model }: AgentRun): AgentCommand => ({
      argv: [program, ...args.map((arg) => arg.replaceAll(PROMPT_FILE, () => promptFile))],
      // The argument that sets the model is unknown, so it is passed in the environment.
      env: model === null ? {} : { NIGHTSHIFT_MODEL: model },
      prompt,
      // Absolute paths in the settings, such as the program's own script or its configuration.
      read: args.filter((arg) => isAbsolute(arg)),
      files: {},
    }),
  };
}
