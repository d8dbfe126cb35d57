/** Other names that a file gives to assertion functions, mapped to the known name: `a` is `assert`, `same` is `assert.equal`. */
export interface Aliases {
  /** Matches the start of a call by an alias, up to its bracket. Global. */
  readonly calls: RegExp;
  /** Replaces aliases by the known names. */
  readonly resolve: (piece: string) => string;
}

/** Files with more aliases are not resolved. */
const MAX_ALIASES = 50;

/** Returns null for a file without aliases. `spoken` is the source without comments. */
export function findAliases(spoken: string, ecosystem: string): Aliases | null {
  const find = FINDERS[ecosystem];
  if (find === undefined) return null;
  const names = new Map(
    find(spoken)
      .filter(([alias, known]) => alias !== known)
      .slice(0, MAX_ALIASES),
  );
  if (names.size === 0) return null;
  const any = [...names.keys()].map((name) => name.replaceAll(/[.$]/g, String.raw`\$&`)).join("|");
  const replaced = new RegExp(String.raw`(?<![\w$.])(${any})(?=\s*[.(<])`, "g");
  return {
    calls: new RegExp(String.raw`(?<![\w$.])(?:${any})(?:\.\w+)*\s*\(`, "g"),
    resolve: (piece) => piece.replaceAll(replaced, (name) => names.get(name) ?? name),
  };
}

type Alias = readonly [alias: string, known: string];

const FINDERS: Readonly<Record<string, (spoken: string) => Alias[]>> = { JavaScript: inJavaScript, Python: inPython };

/** Modules that contain only assertions, and modules that export `expect` and `assert` among other things. */
const ASSERTS =
  /^(?:(?:node:)?assert(?:\/strict)?|power-assert|uvu\/assert|(?:jsr:)?@std\/(?:assert|expect)\S*|\S*\/assert\/mod\.ts)$/;
const RUNNERS = /^(?:chai|vitest|@jest\/globals|bun:test|@playwright\/test|expect|@vitest\/expect)$/;

const IMPORT = /\bimport\s+([^;"'`()]{1,500}?)\s+from\s*["']([^"'\n]{1,100})["']/g;
const REQUIRE =
  /\b(?:const|let|var)\s+([\w$]{1,60}|\{[^{};"'`()]{0,2000}\})\s*=\s*(?:await\s+import|require)\s*\(\s*["']([^"'\n]{1,100})["']\s*\)(?:\.(\w{1,60}))?/g;
const SECOND_NAME = /\b(?:const|let|var)\s+([\w$]{1,60})\s*=\s*((?:assert|expect)(?:\.\w{1,60})?)[ \t]*[;\r\n]/g;

function inJavaScript(spoken: string): Alias[] {
  const imports = [...spoken.matchAll(IMPORT), ...spoken.matchAll(REQUIRE)].flatMap((found) => {
    const [, clause = "", module = "", member] = found;
    if (!ASSERTS.test(module) && !RUNNERS.test(module)) return [];
    const braces = clause.indexOf("{");
    const whole = (braces < 0 ? clause : clause.slice(0, braces)).replaceAll(/[*,]|\bas\s/g, " ").trim();
    const named = braces < 0 ? [] : clause.slice(braces + 1, clause.lastIndexOf("}")).split(",");
    return [
      ...(/^(?!type$)[\w$]{1,60}$/.test(whole) ? aliasOfModule(whole, module, member) : []),
      ...named.flatMap((part) => {
        const [, name = "", other] = /^\s*([\w$]{1,60})(?:(?:\s+as\s+|\s*:\s*)([\w$]{1,60}))?\s*$/.exec(part) ?? [];
        return aliasOfMember(other ?? name, module, name);
      }),
    ];
  });
  const second = [...spoken.matchAll(SECOND_NAME)].map(([, name = "", known = ""]): Alias => [name, known]);
  return [...imports, ...second];
}

function aliasOfModule(alias: string, module: string, member: string | undefined): Alias[] {
  if (member !== undefined && member !== "default") return aliasOfMember(alias, module, member);
  if (module === "expect") return [[alias, "expect"]];
  if (ASSERTS.test(module)) return [[alias, "assert"]];
  return ["expect", "assert"].map((name) => [`${alias}.${name}`, name]);
}

function aliasOfMember(alias: string, module: string, name: string): Alias[] {
  if (["assert", "expect"].includes(name)) return [[alias, name]];
  // Classes and types are not assertions.
  if (!ASSERTS.test(module) || !/^[a-z]/.test(name)) return [];
  return [[alias, ["strict", "default"].includes(name) ? "assert" : `assert.${name}`]];
}

const PYTHON_FROM =
  /^[ \t]*from[ \t]+(unittest|pytest|numpy\.testing|pandas\.testing|hamcrest|assertpy|nose\.tools|expects|sure)[ \t]+import[ \t]+(\([^()]{0,2000}\)|[^\n(]{0,1000})/gm;
const PYTHON_MODULE = /^[ \t]*import[ \t]+(pytest)[ \t]+as[ \t]+(\w{1,60})/gm;
const PYTHON_CASE = /^[ \t]*(\w{1,60})[ \t]*=[ \t]*(?:\w{1,60}\.)?TestCase[ \t]*\(/gm;

function inPython(spoken: string): Alias[] {
  const named = [...spoken.matchAll(PYTHON_FROM)].flatMap(([, module = "", list = ""]) =>
    list.split(/[(),]/).flatMap((part): Alias[] => {
      const [, name = "", alias = name] = /^\s*(\w{1,60})(?:\s+as\s+(\w{1,60}))?\s*$/.exec(part) ?? [];
      if (/^(?:raises|warns|fail)$/.test(name))
        return [[alias, module === "pytest" ? `pytest.${name}` : `assert_${name}`]];
      return /^(?:assert|expect|eq_$|ok_$)/.test(name) ? [[alias, name.endsWith("_") ? `assert_${name}` : name]] : [];
    }),
  );
  const modules = [...spoken.matchAll(PYTHON_MODULE)].flatMap(([, module = "", alias = ""]) =>
    ["raises", "warns", "fail"].map((name): Alias => [`${alias}.${name}`, `${module}.${name}`]),
  );
  const cases = [...spoken.matchAll(PYTHON_CASE)].map(([, name = ""]): Alias => [name, "self"]);
  return [...named, ...modules, ...cases];
}
