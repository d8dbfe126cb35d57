/** Where the brackets and lines of a source text are, worked out once. */
export interface Layout {
  /** For every opening bracket the place of its end, or of the end of the text. */
  readonly closes: ReadonlyMap<number, number>;
  /** From 0. */
  lineAt(place: number): number;
  startOf(line: number): number;
  readonly lineCount: number;
}

const OPENING = "([{";
const BRACKETS = new Map("()[]{}".split("").map((bracket) => [bracket.charCodeAt(0), OPENING.includes(bracket)]));

export function layOut(code: string): Layout {
  const closes = new Map<number, number>();
  const open: number[] = [];
  for (let place = 0; place < code.length; place++) {
    const character = code.charCodeAt(place);
    // Most characters are letters: none of the brackets is among them.
    if (character > 96 && character < 123) continue;
    const opens = BRACKETS.get(character);
    if (opens === true) open.push(place);
    else if (opens === false) {
      // What was left open inside ends here as well.
      const last = open.pop();
      if (last !== undefined) closes.set(last, place);
    }
  }
  for (const place of open) closes.set(place, code.length);
  const starts = [0];
  for (let at = code.indexOf("\n"); at >= 0; at = code.indexOf("\n", at + 1)) starts.push(at + 1);
  const lineAt = (place: number): number => {
    let [low, high] = [0, starts.length];
    while (low + 1 < high) {
      const half = (low + high) >> 1;
      if ((starts[half] ?? 0) <= place) low = half;
      else high = half;
    }
    return low;
  };
  return { closes, lineAt, startOf: (line) => starts[line] ?? code.length, lineCount: starts.length };
}

/** No statement that a person wrote is longer; what was made to hold us up is. */
const LONGEST = 2000;

/**
 * Where the statement that goes on at `place` ends: at the end of its line, outside of all brackets, unless the next line
 * begins with a dot; or before a comma, a semicolon or a bracket that was opened earlier. At most `longest` on.
 */
export function endOfStatement(code: string, layout: Layout, place: number, longest = LONGEST): number {
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

/** For every line the first line after it, and after all that is indented more deeply. */
export function indentEnds(code: string): number[] {
  const lines = code.split("\n");
  const ends = lines.map(() => lines.length);
  const open: { line: number; indent: number }[] = [];
  let depth = 0;
  for (const [line, text] of lines.entries()) {
    const indent = text.search(/\S/);
    // Inside of brackets the indentation of a line means nothing.
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
