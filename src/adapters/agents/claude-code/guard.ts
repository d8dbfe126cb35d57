import { fileURLToPath } from "node:url";
import { shellWord } from "../../../core/change/related-command.ts";
import type { GuardRules } from "./guard-program.ts";

export interface GuardParams extends GuardRules {
  /** The Node binary that runs the guard. It and `guardFile` must be readable in the sandbox. */
  readonly node: string;
  readonly guardFile: string;
}

/** Path of the guard program: TypeScript in a checkout, JavaScript in the package. */
export function guardFile(): string {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return fileURLToPath(new URL(`./guard-program.${extension}`, import.meta.url));
}

const TOOLS = "Read|Edit|MultiEdit|Write|NotebookEdit|LS|Glob|Grep|Bash";

/**
 * Settings for `claude --settings` that install the guard as a hook. Without `onFailure`, claude ignores a hook that fails,
 * hangs or is missing. Versions that do not support `onFailure` are not supported.
 */
export function guardSettings({ node, guardFile: file, ...rules }: GuardParams) {
  const { workspace, write, read, commands, shell } = rules;
  const command = [node, file, JSON.stringify({ workspace, write, read, commands, shell })].map(shellWord).join(" ");
  const hook = { type: "command", command, timeout: 10, onFailure: "block" };
  return {
    // Otherwise claude signs commit messages and change requests.
    attribution: { commit: "", pr: "" },
    hooks: { PreToolUse: [{ matcher: TOOLS, hooks: [hook] }] },
  };
}
