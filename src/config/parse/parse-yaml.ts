import { isMap, isNode, isScalar, LineCounter, parseDocument, visit, type Document } from "yaml";
import type { Issue } from "../../core/text/errors.ts";

export type KeyPath = readonly (string | number)[];

export interface ParsedYaml {
  readonly value: unknown;
  readonly issues: readonly Issue[];
  /** Position of a value or its key. For a missing path, the position of its nearest parent. */
  place(path: KeyPath, of: "key" | "value"): { readonly line: number; readonly column: number };
}

// Enough for shared settings, but prevents a file from expanding to gigabytes by its aliases.
const MAX_ALIASES = 100;
const MAX_FAULTS = 20;
const MAX_DEPTH = 100;

/** Parses YAML with positions. An empty text is a file without settings. */
export function parseYaml(text: string, file: string): ParsedYaml {
  const lines = new LineCounter();
  const at = (offset: number): { line: number; column: number } => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const issueAt = (offset: number, message: string): Issue => ({ file, ...at(offset), key: "", message });

  const refuse = (message: string): ParsedYaml => ({ value: {}, issues: [issueAt(0, message)], place: () => at(0) });

  if (isDeep(text)) return refuse("is nested too deeply");
  let document: Document.Parsed;
  try {
    // The library's check for duplicate keys takes minutes for a megabyte of keys, so findDuplicateKeys does it.
    document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  } catch {
    return refuse("is nested too deeply");
  }
  const faults = [...document.errors, ...document.warnings];
  if (faults.some((fault) => fault.code === "RESOURCE_EXHAUSTION")) return refuse("is nested too deeply");
  const issues = [
    ...faults.slice(0, MAX_FAULTS).map((fault) => issueAt(fault.pos[0], sentence(fault))),
    ...findDuplicateKeys(document).map(({ key, offset }) =>
      issueAt(offset, `the key \`${key}\` is duplicated; keep only one`),
    ),
  ];
  const place: ParsedYaml["place"] = (path, of) => at(findOffset(document, path, of));
  if (issues.length > 0) return { value: {}, issues, place };
  try {
    return { value: document.toJS({ maxAliasCount: MAX_ALIASES }) ?? {}, issues: [], place };
  } catch (error) {
    if (!(error instanceof ReferenceError)) return refuse("is nested too deeply");
    const unknown = error.message.startsWith("Unresolved alias");
    return refuse(
      unknown ? "uses an alias without an anchor above it" : `expands aliases too often; allowed: ${MAX_ALIASES} times`,
    );
  }
}

/** A quick estimate before parsing, because the parser takes seconds to minutes for a megabyte of brackets. */
function isDeep(text: string): boolean {
  let depth = 0;
  for (const line of text.split("\n")) {
    if ((line.match(/(?:^|[ \t])[-?:](?=[ \t]|$)/g)?.length ?? 0) > MAX_DEPTH) return true;
    for (const character of line) {
      if (character === "[" || character === "{") depth += 1;
      else if ((character === "]" || character === "}") && depth > 0) depth -= 1;
    }
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

function findDuplicateKeys(document: Document.Parsed): { key: string; offset: number }[] {
  const doubles: { key: string; offset: number }[] = [];
  visit(document, {
    Map(_, map) {
      const seen = new Set<string>();
      for (const { key } of map.items) {
        const name = isScalar(key) ? String(key.value) : String(key);
        if (seen.has(name)) doubles.push({ key: name, offset: startOf(key) ?? 0 });
        seen.add(name);
      }
    },
  });
  return doubles.slice(0, MAX_FAULTS);
}

function sentence(fault: { readonly code: string; readonly message: string }): string {
  switch (fault.code) {
    case "TAB_AS_INDENT":
      return "is indented with a tab; YAML allows spaces only";
    case "MULTIPLE_DOCS":
      return "contains more than one document (`---`); keep only one";
    default:
      return `is not valid YAML: ${fault.message}`;
  }
}

function findOffset(document: Document.Parsed, path: KeyPath, of: "key" | "value"): number {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const [index, part] of path.entries()) {
    const pair = isMap(node)
      ? node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(part))
      : undefined;
    const next = pair === undefined ? getItem(node, part) : pair.value;
    const wantsKey = of === "key" && index === path.length - 1;
    const found = (wantsKey ? undefined : startOf(next)) ?? startOf(pair?.key) ?? startOf(next);
    if (found === undefined) return offset;
    offset = found;
    node = next;
  }
  return offset;
}

function getItem(node: unknown, part: string | number): unknown {
  return isNode(node) && "get" in node && typeof node.get === "function" ? node.get(part, true) : undefined;
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
