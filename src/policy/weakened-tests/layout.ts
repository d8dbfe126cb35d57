import { indexLines, type LineIndex } from "../../core/text/line-index.ts";

/** Positions of brackets and lines in a source text, computed once. */
export interface Layout extends LineIndex {
  /** For every opening bracket the position of its end, or of the end of the text. */
  readonly closes: ReadonlyMap<number, number>;
}

const OPENING = "([{";
const BRACKETS = new Map("()[]{}".split("").map((bracket) => [bracket.charCodeAt(0), OPENING.includes(bracket)]));

export function computeLayout(code: string): Layout {
  const closes = new Map<number, number>();
  const open: number[] = [];
  for (let place = 0; place < code.length; place++) {
    const character = code.charCodeAt(place);
    // Most characters are letters, which are not brackets.
    if (character > 96 && character < 123) continue;
    const opens = BRACKETS.get(character);
    if (opens === true) open.push(place);
    else if (opens === false) {
      // Brackets that were left open inside end here, too.
      const last = open.pop();
      if (last !== undefined) closes.set(last, place);
    }
  }
  for (const place of open) closes.set(place, code.length);
  return { closes, ...indexLines(code) };
}

/** Longer statements are not written by people, only to slow us down. */
const MAX_STATEMENT = 2000;

/**
 * Returns where the statement at `place` ends: at the end of its line outside all brackets, unless the next line starts with a
 * dot, or before a comma, a semicolon or a bracket that was opened earlier. Searches at most `longest` characters.
 */
export function endOfStatement(code: string, layout: Layout, place: number, longest = MAX_STATEMENT): number {
  const near = code.slice(place, place + longest);
  const stop = /[\n,;()[\]{}]/g;
  for (let found = stop.exec(near); found; found = stop.exec(near)) {
    const at = place + found.index;
    const close = layout.closes.get(at);
    if (close === undefined) {
      if (found[0] !== "\n" || !continues(code, at)) return at;
    } else {
      if (close >= place + near.length) break;
      stop.lastIndex = close + 1 - place;
    }
  }
  return place + near.length;
}

function continues(code: string, lineEnd: number): boolean {
  const next = /\s{0,200}/y;
  next.lastIndex = lineEnd;
  next.exec(code);
  return code[next.lastIndex] === "." && code[next.lastIndex + 1] !== ".";
}

/** For each line, the first following line that is not indented more deeply. */
export function indentEnds(code: string): number[] {
  const lines = code.split("\n");
  const ends = lines.map(() => lines.length);
  const open: { line: number; indent: number }[] = [];
  let depth = 0;
  for (const [line, text] of lines.entries()) {
    const indent = text.search(/\S/);
    // Indentation inside brackets has no meaning.
    if (indent >= 0 && depth <= 0) {
      for (let last = open.at(-1); last && last.indent >= indent; last = open.at(-1)) {
        ends[last.line] = line;
        open.pop();
      }
      open.push({ line, indent });
    }
    for (const bracket of text.match(/[()[\]{}]/g) ?? []) depth += OPENING.includes(bracket) ? 1 : -1;
    depth = Math.max(0, depth);
  }
  return ends;
}
