/** A piece of source without what formatting may change: blanks, kinds of quotes, semicolons, commas at the end. */
export function squeeze(text: string): string {
  return text
    .replaceAll(/[\s;]+/g, " ")
    .replaceAll(/ (?!\w)|(?<!\w) /g, "")
    .replaceAll(/['`]/g, '"')
    .replaceAll(/,(?=[)\]}])/g, "");
}
