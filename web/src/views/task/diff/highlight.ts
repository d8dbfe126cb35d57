import { parsePatchFiles, registerCustomCSSVariableTheme } from "@pierre/diffs";
import { WorkerPoolManager } from "@pierre/diffs/worker";

/** A piece of a line, with the class that gives its colour. Null: plain. */
export interface Token {
  readonly text: string;
  readonly className: string | null;
}

/** The lines of both sides of a patch, in the order in which the patch has them. */
export interface ColoredPatch {
  readonly old: readonly (readonly Token[])[];
  readonly new: readonly (readonly Token[])[];
}

const THEME = "nightshift";

/** Loaded only when a diff is shown, because the grammars are large. */
const pool = startPool();

async function startPool(): Promise<WorkerPoolManager> {
  // A theme of variables: the page's own tokens give the colours, see `classOf`.
  registerCustomCSSVariableTheme(THEME, {}, false);
  const manager = new WorkerPoolManager(
    {
      workerFactory: () => new Worker(new URL("./highlight-worker.ts", import.meta.url), { type: "module" }),
      poolSize: 1,
      totalASTLRUCacheSize: 1,
    },
    { theme: THEME, lineDiffType: "none", preferredHighlighter: "shiki-js", langs: [], tokenizeMaxLineLength: 1000 },
  );
  await manager.initialize();
  return manager;
}

let last = 0;

/** Colours the patch of one file. Null if its language is not known. */
export async function colorPatch(patch: string): Promise<ColoredPatch | null> {
  const file = parsePatchFiles(patch)[0]?.files[0];
  if (file === undefined) return null;
  const workers = await pool;
  last += 1;
  const diff = { ...file, cacheKey: `patch${last}` };
  await workers.primeDiffHighlightCache(diff);
  const code = workers.getDiffResultCache(diff)?.result.code;
  if (code === undefined) return null;
  return { old: code.deletionLines.map(toTokens), new: code.additionLines.map(toTokens) };
}

interface Node {
  readonly type: string;
  readonly value?: unknown;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly children?: readonly Node[];
}

/** The library would write HTML with style attributes, which the page's policy forbids. Only the text and the kind of each token are used. */
function toTokens(line: unknown): readonly Token[] {
  const tokens: Token[] = [];
  const visit = (node: Node, className: string | null): void => {
    if (node.type === "text" && typeof node.value === "string")
      tokens.push({ text: node.value.replace(/\n$/, ""), className });
    const own = classOf(node.properties?.["style"]) ?? className;
    for (const child of node.children ?? []) visit(child, own);
  };
  if (typeof line === "object" && line !== null) visit(line as Node, null); // a node of the library's syntax tree
  return tokens.filter(({ text }) => text !== "");
}

/** The kinds of tokens of the theme, and the classes of `styles/diff.css`. */
const CLASSES: Readonly<Record<string, string>> = {
  keyword: "k",
  string: "sg",
  "string-expression": "sg",
  function: "fn",
  constant: "nu",
  parameter: "pa",
  comment: "cm",
  link: "fn",
};

function classOf(style: unknown): string | null {
  const kind = /--[a-z-]*token-([a-z-]+?)\s*[,)]/.exec(typeof style === "string" ? style : "")?.[1];
  return kind === undefined ? null : (CLASSES[kind] ?? null);
}
