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
    if (name === undefined || (!mayWrite && WRITE_TOOLS.includes(name))) return [];
    return [{ name, words: words === undefined || words === "" || words === "*" ? null : words }];
  });
  const shell = rules.filter(({ name }) => name === "Bash").map(({ words }) => words);
  return {
    names: [...new Set(rules.map(({ name }) => name))],
    allowed: [...new Set(rules.map(({ name, words }) => (words === null ? name : `${name}(${words})`)))],
    shell: shell.includes(null) ? null : shell.filter((words) => words !== null),
  };
}
