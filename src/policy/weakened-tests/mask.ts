/** A source text in which everything but code is blanked out. All characters keep their position. */
export interface Masked {
  readonly text: string;
  /** Without comments. */
  readonly spoken: string;
  /** Without comments and the contents of strings; the quotes stay. */
  readonly code: string;
}

export function mask(text: string, literal: RegExp): Masked {
  let spoken = "";
  let code = "";
  let last = 0;
  for (const found of text.matchAll(literal)) {
    const [whole] = found;
    if (whole === "") continue;
    const between = text.slice(last, found.index);
    const isComment = found.groups?.["comment"] !== undefined;
    spoken += between + (isComment ? blank(whole) : whole);
    code +=
      between +
      (isComment || whole.length < 2
        ? blank(whole)
        : whole.charAt(0) + blank(whole.slice(1, -1)) + whole.charAt(whole.length - 1));
    last = found.index + whole.length;
  }
  const rest = text.slice(last);
  return { text, spoken: spoken + rest, code: code + rest };
}

function blank(text: string): string {
  return text.includes("\n") ? text.replaceAll(/[^\n]/g, " ") : " ".repeat(text.length);
}

/** Removes what formatting may change: whitespace, quote styles, semicolons, trailing commas. */
export function squeeze(text: string): string {
  return text
    .replaceAll(/[\s;]+/g, " ")
    .replaceAll(/ (?!\w)|(?<!\w) /g, "")
    .replaceAll(/['`]/g, '"')
    .replaceAll(/,(?=[)\]}])/g, "");
}
