import { printResult, type CliContext } from "../../context.ts";

/** Prints the completion script of a shell. The script calls `nightshift complete -- <words>` for suggestions. */
export async function completion(context: CliContext, shell: string): Promise<void> {
  const { default: root } = await import("@bomb.sh/tab");
  const lines = collectLines(() => root.setup("nightshift", "nightshift", shell));
  const script = `${fixScript(lines.join("\n"), FIXES[shell] ?? [])}\n`;
  printResult(context, { shell, script }, () => script);
}

type Replacement = readonly [found: string, replacement: string];

/** The library's script requires the package bash-completion, fails when a shell sources it twice, and evaluates the words. */
const BASH_FIXES: readonly Replacement[] = [
  ["\nreadonly ", "\n"],
  [
    '_get_comp_words_by_ref -n "=:" cur prev words cword',
    'if declare -F _get_comp_words_by_ref > /dev/null; then _get_comp_words_by_ref -n "=:" cur prev words cword; else cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=("${COMP_WORDS[@]}") cword=$COMP_CWORD; fi',
  ],
  ['out=$(eval "$requestComp" 2>/dev/null)', 'out=$(nightshift complete -- "${words[@]:1:cword}" 2>/dev/null)'],
  // Arithmetic and `compgen -W` evaluate their arguments too.
  ["directive=${out##*:}", "directive=${out##*:}; [[ $directive =~ ^[0-9]+$ ]] || directive=0"],
  [
    'COMPREPLY=( $(compgen -W "${completions[*]}" -- "$cur") )',
    'COMPREPLY=(); for comp in "${completions[@]}"; do [[ "$comp" == "$cur"* ]] && COMPREPLY+=("$comp"); done',
  ],
];

/** The script passes the prefix to `eval`. */
const ZSH_FIXES: readonly Replacement[] = [['flagPrefix="-P ${BASH_REMATCH}"', 'flagPrefix="-P ${(q)BASH_REMATCH}"']];

const FIXES: Readonly<Record<string, readonly Replacement[]>> = { bash: BASH_FIXES, zsh: ZSH_FIXES };

function fixScript(script: string, fixes: readonly Replacement[]): string {
  return fixes.reduce((text, [found, replacement]) => {
    // An update of the library must not silently drop a fix.
    if (!text.includes(found)) throw new Error(`The completion script does not contain: ${found}`);
    return text.replaceAll(found, () => replacement);
  }, script);
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
