/** Removes what formatting may change: whitespace, quote styles, semicolons, trailing commas. */
export function squeeze(text: string): string {
  return text
    .replaceAll(/[\s;]+/g, " ")
    .replaceAll(/ (?!\w)|(?<!\w) /g, "")
    .replaceAll(/['`]/g, '"')
    .replaceAll(/,(?=[)\]}])/g, "");
}
