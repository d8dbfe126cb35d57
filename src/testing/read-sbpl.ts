/** Parses macOS sandbox profiles like Scheme, for tests of the text. */
export type Expression = readonly Expression[] | { readonly text: string } | string;

/** Parses symbols, strings and lists. */
export function readAll(source: string): Expression[] {
  let at = 0;
  const readList = (end: string): Expression[] => {
    const items: Expression[] = [];
    for (;;) {
      while (/\s/.test(source[at] ?? "")) at++;
      const next = source[at];
      if (next === end || (next === undefined && end === "")) {
        at++;
        return items;
      }
      if (next === undefined || next === ")") throw new Error(`unbalanced at ${at}`);
      if (next === ";") throw new Error(`unexpected comment at ${at}`);
      items.push(readOne(next));
    }
  };
  const readOne = (next: string): Expression => {
    if (next === "(") {
      at++;
      return readList(")");
    }
    if (next === '"') return { text: readString() };
    if (source.startsWith('#"', at)) {
      at++;
      return { text: readString() };
    }
    const symbol = /^[^\s()";]+/.exec(source.slice(at))?.[0] ?? "";
    at += symbol.length;
    return symbol;
  };
  const readString = (): string => {
    let text = "";
    for (at++; source[at] !== '"'; at++) {
      if (source[at] === undefined) throw new Error("unterminated string");
      if (source[at] !== "\\") text += source[at];
      else if (source[at + 1] === "x") {
        text += String.fromCodePoint(Number.parseInt(source.slice(at + 2, at + 4), 16));
        at += 3;
      } else text += source[++at];
    }
    at++;
    return text;
  };
  return readList("");
}

/** The structure of the rules without strings, independent of paths. */
export function shape(expression: Expression): unknown {
  if (typeof expression === "string") return expression;
  return Array.isArray(expression) ? expression.map(shape) : "…";
}

export function texts(expression: Expression): string[] {
  if (typeof expression === "string") return [];
  return "text" in expression ? [expression.text] : expression.flatMap(texts);
}

/** Returns what the last matching rule says, as the kernel would. Supports only what our rules use. */
export function decide(source: string, operation: string, path: string): string {
  let decision = "none";
  for (const form of readAll(source)) {
    if (typeof form === "string" || "text" in form) continue;
    const [verb, ...rest] = form;
    const operations = rest.filter((each) => typeof each === "string");
    const covers = operations.some(
      (each) => each === "default" || new RegExp(`^${each.replace("*", ".*")}$`).test(operation),
    );
    const filters = rest.filter((each) => Array.isArray(each)) as Expression[][];
    if (covers && (filters.length === 0 || filters.some((filter) => matches(filter, path)))) decision = shown(verb);
  }
  return decision;
}

function matches([kind, value]: readonly Expression[], path: string): boolean {
  const text = typeof value === "object" && "text" in value ? value.text : null;
  if (kind === "literal") return path === text;
  return kind === "subpath" && text !== null && (path === text || path.startsWith(`${text}/`));
}

function shown(symbol: Expression | undefined): string {
  return typeof symbol === "string" ? symbol : "no symbol";
}
