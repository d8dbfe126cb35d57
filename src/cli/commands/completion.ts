import { answer, type CliContext } from "../context.ts";

/** The script for a shell: it asks `nightshift complete -- <words>` for what could come next. */
export async function completion(context: CliContext, shell: string): Promise<void> {
  const { default: root } = await import("@bomb.sh/tab");
  const lines = collectLines(() => root.setup("nightshift", "nightshift", shell));
  const script = `${shell === "bash" ? forAnyBash(lines.join("\n")) : lines.join("\n")}\n`;
  answer(context, { shell, script }, () => script);
}

const NEEDS_PACKAGE = '_get_comp_words_by_ref -n "=:" cur prev words cword';
const WITHOUT_PACKAGE =
  'cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=("${COMP_WORDS[@]}") cword=$COMP_CWORD';

/** The library's script wants the package bash-completion, and to be read once in the life of a shell. */
function forAnyBash(script: string): string {
  return script
    .replaceAll(/^readonly /gm, "")
    .replace(
      NEEDS_PACKAGE,
      () => `if declare -F _get_comp_words_by_ref > /dev/null; then ${NEEDS_PACKAGE}; else ${WITHOUT_PACKAGE}; fi`,
    );
}

/** The library prints by itself; what goes out of this program goes through its context. */
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
