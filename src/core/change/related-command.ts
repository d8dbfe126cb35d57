/** Windows and macOS are out of the question here: checks run in a POSIX shell. */
export function shellWord(text: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) && !text.startsWith("-") ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** More than these do not fit on a command line; whoever changes so much runs everything. */
const MOST_FILES = 200;

/** The check's command for these files, or its own where it has none for single files. A path never becomes an option. */
export function relatedCommand(
  { command, related }: { readonly command: string; readonly related: string | null },
  files: readonly string[],
): string {
  if (related === null || files.length === 0 || files.length > MOST_FILES) return command;
  const words = files.map((file) => shellWord(file.startsWith("-") ? `./${file}` : file));
  return related.replaceAll("{{files}}", () => words.join(" "));
}
