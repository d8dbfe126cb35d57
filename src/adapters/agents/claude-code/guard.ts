import { fileURLToPath } from "node:url";
import type { GuardRules } from "./guard-program.ts";

export interface GuardParams extends GuardRules {
  /** The Node that runs the guard; it and the guard's file must be seen in the sandbox. */
  readonly node: string;
  readonly guardFile: string;
}

/** The guard's program, beside this file: as TypeScript in a checkout, as JavaScript in the package. */
export function guardFile(): string {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return fileURLToPath(new URL(`./guard-program.${extension}`, import.meta.url));
}

const TOOLS = "Read|Edit|MultiEdit|Write|NotebookEdit|LS|Glob|Grep|Bash";

/**
 * What `claude --settings` gets so that the guard is asked. A hook that breaks, hangs or is missing would be passed over
 * if `onFailure` did not say otherwise; versions that do not know it pass over that too, so they are too old for us.
 */
export function guardSettings({ node, guardFile: file, ...rules }: GuardParams): ClaudeSettings {
  const { workspace, write, read, commands, shell } = rules;
  const command = [node, file, JSON.stringify({ workspace, write, read, commands, shell })].map(quote).join(" ");
  return {
    // Or it is told to sign each commit message and change request that it writes.
    attribution: { commit: "", pr: "" },
    hooks: {
      PreToolUse: [{ matcher: TOOLS, hooks: [{ type: "command", command, timeout: 10, onFailure: "block" }] }],
    },
  };
}

export interface ClaudeSettings {
  readonly attribution: { readonly commit: string; readonly pr: string };
  readonly hooks: { readonly PreToolUse: readonly ClaudeHooks[] };
}

interface ClaudeHooks {
  readonly matcher: string;
  readonly hooks: readonly {
    readonly type: "command";
    readonly command: string;
    /** In seconds. */
    readonly timeout: number;
    readonly onFailure: "block";
  }[];
}

/** Claude starts hooks by a shell. */
function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
