const FENCE = /^[ \t]*(`{3,}|~{3,})/;

/**
 * The contents of the code fences in a text. A block that is never closed goes on to the end. Lines are read one by one,
 * because a regular expression over a hostile text could take quadratic time.
 */
export function listFencedBlocks(text: string): readonly string[] {
  const blocks: string[] = [];
  let open: { readonly fence: string; readonly lines: string[] } | null = null;
  for (const line of text.split(/\r?\n/)) {
    const fence = FENCE.exec(line)?.[1];
    if (open === null) {
      if (fence !== undefined) open = { fence, lines: [] };
    } else if (fence?.startsWith(open.fence) === true && line.trim() === fence) {
      blocks.push(open.lines.join("\n"));
      open = null;
    } else open.lines.push(line);
  }
  if (open !== null) blocks.push(open.lines.join("\n"));
  return blocks;
}

/** The content of a text that is nothing but one fenced block. Any other text is returned as it is. */
export function withoutFence(text: string): string {
  const lines = text.trim().split(/\r?\n/);
  const [only, ...others] = listFencedBlocks(lines.join("\n"));
  const isWhole = FENCE.test(lines[0] ?? "") && only?.split("\n").length === lines.length - 2;
  return only !== undefined && others.length === 0 && isWhole ? only : text;
}
