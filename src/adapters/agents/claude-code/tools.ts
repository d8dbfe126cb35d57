/** What a role may use, in the three forms in which claude has to be told. */
export interface ClaudeTools {
  /** Those that exist at all. */
  readonly names: readonly string[];
  /** Those that it uses without asking; where nobody can be asked, all others are refused. */
  readonly allowed: readonly string[];
  /** The words that commands of the shell must begin with (`git log:*`) or be (`npm test`); null: any. */
  readonly shell: readonly string[] | null;
}

const WRITING: readonly string[] = ["Edit", "MultiEdit", "Write", "NotebookEdit"];

/** `Bash(git log:*)`, `Edit(./src/**)`, `WebFetch`. */
const RULE = /^(?<name>[A-Za-z]\w*)(?:\((?<words>.*)\))?$/;

export function readTools(tools: readonly string[], mayWrite: boolean): ClaudeTools {
  const rules = tools.flatMap((text) => {
    const { name, words } = RULE.exec(text)?.groups ?? {};
    if (name === undefined || (!mayWrite && WRITING.includes(name))) return [];
    return [{ name, words: words === undefined || words === "" || words === "*" ? null : words }];
  });
  const shell = rules.filter(({ name }) => name === "Bash").map(({ words }) => words);
  return {
    names: [...new Set(rules.map(({ name }) => name))],
    allowed: [...new Set(rules.map(({ name, words }) => (words === null ? name : `${name}(${words})`)))],
    shell: shell.includes(null) ? null : shell.filter((words) => words !== null),
  };
}
