import { printResult, type CliContext } from "../context.ts";

/** Prints the completion script of a shell. The script calls `nightshift complete -- <words>` for suggestions. */
export async function completion(context: CliContext, shell: string): Promise<void> {
  const { default: root } = await import("@bomb.sh/tab");
  const lines = collectLines(() => root.setup("nightshift", "nightshift", shell));
  const script = `${shell === "bash" ? makeBashScriptPortable(lines.join("\n")) : lines.join("\n")}\n`;
  printResult(context, { shell, script }, () => script);
}

const NEEDS_PACKAGE = '_get_comp_words_by_ref -n "=:" cur prev words cword';
const WITHOUT_PACKAGE =
  'cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=("${COMP_WORDS[@]}") cword=$COMP_CWORD';

/** The library's script requires the package bash-completion and fails when a shell sources it twice. This fixes both. */
function makeBashScriptPortable(script: string): string {
  return script
    .replaceAll(/^readonly /gm, "")
    .replace(
      NEEDS_PACKAGE,
      () => `if declare -F _get_comp_words_by_ref > /dev/null; then ${NEEDS_PACKAGE}; else ${WITHOUT_PACKAGE}; fi`,
    );
}

/** The library prints to the console. All our output goes through the context, so this captures the lines instead. */
function collectLines(print: () => void): readonly string[] {
  const lines: string[] = [];
  const { log } = console;
  console.log = (line: string) => void lines.push(line);
  try {
    print();
  } finally {
    console.log = log;
  }
  return lines;
}
