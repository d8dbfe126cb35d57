/** Words that the shell handles itself. */
const BUILTINS = new Set(
  (
    "! . : [ [[ { } alias break case cd command continue do done echo elif else esac eval exec exit export false fi for " +
    "function getopts hash if in kill local printf pwd read readonly return set shift source test then time times trap true type " +
    "ulimit umask unalias unset until wait while"
  ).split(" "),
);

const SEPARATORS = /&&|\|\|?|;|\n|\(|\)|(?<![<>&])&(?![>&])/;
const ASSIGNMENT = /^[A-Za-z_]\w*=\S*$/;
/** Prefixes after which the program follows. */
const PREFIXES = new Set(["!", "do", "else", "exec", "if", "then", "time", "until", "while", "{", "command"]);
const PROGRAM = /^[\w][\w.+-]*$/;

/**
 * Lists the programs that a shell command starts by name: the first word of each of its parts. Paths, variables and quoted
 * words are left out, because only the shell knows what they are.
 */
export function listUsedPrograms(command: string): readonly string[] {
  const withoutQuotes = command.replaceAll(/'[^']*'|"(?:[^"\\]|\\.)*"/g, "''");
  const found = withoutQuotes.split(SEPARATORS).flatMap((part) => {
    const words = part.trim().split(/\s+/);
    const first = words.find((word) => !ASSIGNMENT.test(word) && !PREFIXES.has(word));
    return first !== undefined && PROGRAM.test(first) && !BUILTINS.has(first) ? [first] : [];
  });
  return [...new Set(found)];
}
