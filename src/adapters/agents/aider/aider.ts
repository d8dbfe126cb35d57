import { join, relative } from "node:path";
import type { AgentSettings } from "../../../core/settings/settings.ts";
import type { Agent, AgentCommand, AgentRun, ModelApi } from "../../../ports/agent.ts";
import { parseAiderLine } from "./lines.ts";

/** `aider`, built from its documentation: one message, its edits, and it ends. It runs no commands and speaks to no server. */
export function aider(settings: Pick<AgentSettings, "model">): Agent {
  const api = apiOf(settings.model);
  return {
    kind: "aider",
    capabilities: {
      sessions: false,
      mcp: false,
      gateway: api,
    },
    program: {
      name: "aider",
      versionArgs: ["--version"],
      // The first that knows all of the arguments below.
      oldest: "0.76.0",
      install: "See https://aider.chat/docs/install.html.",
    },
    parseLine: parseAiderLine,
    command: (run) => commandFor(run, run.model ?? settings.model, api),
  };
}

/** It calls many APIs, each by the name of the model; these two can be led to the gateway. */
function apiOf(model: string | null): ModelApi {
  return model !== null && /^(?:anthropic\/|claude|sonnet|opus|haiku)/.test(model) ? "anthropic" : "openai";
}

/** Aider keeps an index of the repository in its root, and has no setting for another place. */
const CLEAN_UP = '"$@"; code=$?; rm -rf .aider.tags.cache.v*; exit $code';

function commandFor(run: AgentRun, model: string | null, api: ModelApi): AgentCommand {
  const notes = join(run.filesDir, "aider-notes.md");
  const nothing = join(run.filesDir, "aider-nothing");
  return {
    argv: [
      ...(["sh", "-c", CLEAN_UP, "sh", "aider"] as const),
      ...FLAGS,
      ...[
        ["--load", nothing],
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
      // It would look for newer prices.
      LITELLM_LOCAL_MODEL_COST_MAP: "True",
    },
    prompt: "file",
    read: [],
    files: { [notes]: notesFor(run), [nothing]: "" },
    hide: [".aider.conf.yml", ".env"],
  };
}

/**
 * A repository may bring an `.aider.conf.yml` along, and no option keeps aider from reading it. Arguments come before it, so
 * everything in it that could start a program is said here.
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

/** Aider takes a path outside of the repository only as one that leads there from its root. */
function notesFor({ workspace, write }: AgentRun): string {
  return [
    "# How to write files here",
    "",
    "You cannot run commands. Everything that you do is an edit of a file.",
    `Name every file by its path from the root of the repository, which is ${workspace}.`,
    "A file elsewhere that you are asked to write, such as the one for your outcome, is named by such a path too:",
    "",
    ...write.map((path) => `- ${path} is ${relative(workspace, path)}`),
    "",
  ].join("\n");
}
