import { join, relative } from "node:path";
import type { AgentSettings } from "../../../core/settings/settings.ts";
import type { Agent, AgentCommand, AgentRun, ModelApi } from "../../../ports/agent.ts";
import { parseAiderLine } from "./lines.ts";

/** `aider`, implemented from its documentation: it handles one message, edits files and exits. It has no shell and no MCP. */
export function aider(settings: Pick<AgentSettings, "model">): Agent {
  const api = findApi(settings.model);
  return {
    kind: "aider",
    capabilities: { sessions: false, mcp: false, gateway: api },
    program: {
      name: "aider",
      versionArgs: ["--version"],
      // The first version that supports all arguments below.
      oldest: "0.76.0",
      install: "See https://aider.chat/docs/install.html.",
    },
    parseLine: parseAiderLine,
    command: (run) => commandFor(run, run.model ?? settings.model, api),
  };
}

/** Aider chooses the API by the name of the model. Only these two can use the gateway. */
function findApi(model: string | null): ModelApi {
  return model !== null && /^(?:anthropic\/|claude|sonnet|opus|haiku)/.test(model) ? "anthropic" : "openai";
}

/** Aider stores an index in the root of the repository, and has no setting for another location. */
const CLEAN_UP = '"$@"; code=$?; rm -rf .aider.tags.cache.v*; exit $code';

function commandFor(run: AgentRun, model: string | null, api: ModelApi): AgentCommand {
  const notes = join(run.filesDir, "aider-notes.md");
  const emptyFile = join(run.filesDir, "aider-empty");
  return {
    argv: [
      ...(["sh", "-c", CLEAN_UP, "sh", "aider"] as const),
      ...FLAGS,
      ...[
        ["--load", emptyFile],
        ["--message-file", run.promptFile],
        ["--read", notes],
        ["--chat-history-file", join(run.home, "aider.chat.md")],
        ["--input-history-file", join(run.home, "aider.input")],
        ["--llm-history-file", join(run.home, "aider.llm")],
      ].flat(),
      ...(model === null ? [] : ["--model", model]),
    ],
    env: {
      ...(run.gateway === null ? {} : gatewayEnv(api, run.gateway)),
      NO_COLOR: "1",
      // Otherwise LiteLLM downloads current prices.
      LITELLM_LOCAL_MODEL_COST_MAP: "True",
    },
    prompt: "file",
    read: [],
    files: { [notes]: notesFor(run), [emptyFile]: "" },
    hide: [".aider.conf.yml", ".env"],
  };
}

/**
 * Aider always reads the repository's `.aider.conf.yml`. Arguments take precedence over it, so every setting that could start
 * a program is set here.
 */
const FLAGS = [
  ["--yes-always", "--no-pretty", "--no-stream", "--no-fancy-input"],
  ["--no-auto-commits", "--no-dirty-commits", "--no-gitignore"],
  ["--no-auto-lint", "--lint-cmd", "true", "--no-auto-test", "--test-cmd", "true"],
  ["--no-notifications", "--notifications-command", "true"],
  ["--no-suggest-shell-commands", "--no-watch-files", "--no-detect-urls"],
  ["--no-check-update", "--no-show-release-notes", "--no-analytics", "--no-show-model-warnings"],
  ["--no-restore-chat-history", "--no-cache-prompts"],
].flat();

function gatewayEnv(api: ModelApi, { url, key }: NonNullable<AgentRun["gateway"]>): Readonly<Record<string, string>> {
  return api === "anthropic"
    ? { ANTHROPIC_API_BASE: url, ANTHROPIC_API_KEY: key }
    : { OPENAI_API_BASE: `${url}/v1`, OPENAI_API_KEY: key };
}

/** Aider accepts paths outside the repository only as paths relative to its root. */
function notesFor({ workspace, write }: AgentRun): string {
  return [
    "# How to write files here",
    "",
    "You cannot run commands. You can only edit files.",
    `Name every file by its path relative to the root of the repository, which is ${workspace}.`,
    "This also applies to files elsewhere that you are asked to write, such as the outcome file:",
    "",
    ...write.map((path) => `- ${path} is ${relative(workspace, path)}`),
    "",
  ].join("\n");
}
