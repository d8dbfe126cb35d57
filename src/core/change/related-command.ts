/** Quotes a word for a POSIX shell, in which all checks run. */
export function shellWord(text: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) && !text.startsWith("-") ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** More files might not fit on a command line. Larger changes run the full check. */
const MAX_FILES = 200;

/** Returns the check's command for these files, or the full command if there is none. A path never becomes an option. */
export function relatedCommand(
  { command, related }: { readonly command: string; readonly related: string | null },
  files: readonly string[],
): string {
  if (related === null || files.length === 0 || files.length > MAX_FILES) return command;
  const words = files.map((file) => shellWord(file.startsWith("-") ? `./${file}` : file));
  return related.replaceAll("{{files}}", () => words.join(" "));
}
