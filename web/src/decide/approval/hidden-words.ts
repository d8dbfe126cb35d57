const WORD = /[\p{L}\p{N}_]*\p{L}[\p{L}\p{N}_]*/gu;
/** The language of a code block is not shown, and needs no warning. */
const LANGUAGE = /^(\s*(?:`{3,}|~{3,})\s*)[\w+#.-]+[ \t]*$/gmu;

/**
 * The words of a Markdown text that its formatted version does not show, such as those of comments and unused link addresses.
 * The next agent would read them, so a person who approves the text has to know about them.
 */
export function hiddenWords(source: string, shown: string): readonly string[] {
  const counts = new Map<string, number>();
  for (const [word] of shown.matchAll(WORD)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const hidden = new Set<string>();
  for (const [word] of decodeEntities(source.replace(LANGUAGE, "$1")).matchAll(WORD)) {
    const left = counts.get(word) ?? 0;
    if (left === 0) hidden.add(word);
    else counts.set(word, left - 1);
  }
  return [...hidden];
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: " " };

function decodeEntities(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|nbsp);/g, (_, name: string) => ENTITIES[name] ?? "");
}
