import { parseMcpToolName } from "../../../core/settings/mcp.ts";
import type { AgentTool } from "../../../ports/agent.ts";

/** Tools that a plan may ask for. Those that start further agents or wait for people are left out. */
export const CLAUDE_TOOLS: readonly AgentTool[] = [
  { name: "Read", description: "reads files, images and notebooks" },
  { name: "Glob", description: "finds files by name" },
  { name: "Grep", description: "searches in files" },
  { name: "Edit", description: "changes parts of a file; needs a writable directory" },
  { name: "Write", description: "creates or replaces files; needs a writable directory" },
  { name: "NotebookEdit", description: "changes cells of a notebook; needs a writable directory" },
  { name: "Bash", description: "runs shell commands; `Bash(npm test:*)` allows only those that start like this" },
  { name: "WebFetch", description: "reads a page; its host must be in `network`" },
  { name: "WebSearch", description: "searches the web through the model's provider" },
];

/** The tools of a role, in the three forms that claude needs. */
export interface ClaudeTools {
  /** Tools that are available. */
  readonly names: readonly string[];
  /** Tools that need no permission. In a non-interactive run all others are denied. */
  readonly allowed: readonly string[];
  /** Allowed shell commands, as a prefix (`git log:*`) or in full (`npm test`). Null allows any command. */
  readonly shell: readonly string[] | null;
}

const WRITE_TOOLS: readonly string[] = ["Edit", "MultiEdit", "Write", "NotebookEdit"];

/** `Bash(git log:*)`, `Edit(./src/**)`, `WebFetch`. */
const RULE = /^(?<name>[A-Za-z]\w*)(?:\((?<words>.*)\))?$/;

export function readTools(tools: readonly string[], mayWrite: boolean): ClaudeTools {
  const rules = tools.flatMap((text) => {
    const { name, words } = RULE.exec(text)?.groups ?? {};
    // Tools of MCP servers have their own option.
    if (name === undefined || parseMcpToolName(text) !== null || (!mayWrite && WRITE_TOOLS.includes(name))) return [];
    return [{ name, words: words === undefined || words === "" || words === "*" ? null : words }];
  });
  const shell = rules.filter(({ name }) => name === "Bash").map(({ words }) => words);
  return {
    names: [...new Set(rules.map(({ name }) => name))],
    allowed: [...new Set(rules.map(({ name, words }) => (words === null ? name : `${name}(${words})`)))],
    shell: shell.includes(null) ? null : shell.filter((words) => words !== null),
  };
}
