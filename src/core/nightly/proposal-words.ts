// Reduces titles to words that can be compared, so that different wordings of the same idea match.

const STOP_WORDS = new Set(
  "a an and are as at be been but by can do does for from has have how if in into is it its more no not of off on onto or out over so some such that the their them then there these this those to too up via was were when where which while will with within without".split(
    " ",
  ),
);

/** Maps stems that mean the same to one stem. */
const SYNONYMS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    duplicat: ["dedup", "deduplicat", "repeat", "copy"],
    remov: ["delet", "drop", "eliminat"],
    split: ["break", "decompos"],
    fix: ["repair", "correct", "resolv"],
    dead: ["unus", "unreachabl"],
    document: ["doc", "readm", "docstr", "jsdoc", "comment"],
    typo: ["spell", "misspell", "misspelt"],
    error: ["err", "except", "failur"],
    cach: ["memoiz", "memois", "memo"],
    escap: ["sanitiz", "sanitis"],
    configur: ["config", "configurat"],
    function: ["funct", "func", "method"],
    parameter: ["param", "argument", "arg"],
    valid: ["validat"],
    simplify: ["simplifi", "simpler", "simpl"],
  }).flatMap(([word, others]) => others.map((other) => [other, word] as const)),
);

/** Scripts without spaces between words. Each pair of characters counts as a word. */
const UNSPACED_SCRIPTS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]+/gu;

/** The stemmed words of a title without stop words, sorted and unique. */
export function titleWords(title: string): readonly string[] {
  const pairs = title.match(UNSPACED_SCRIPTS)?.flatMap(characterPairs) ?? [];
  const words = title
    .replace(UNSPACED_SCRIPTS, " ")
    .replace(/['’]s\b/g, "")
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "" && !STOP_WORDS.has(word))
    .map(stem);
  return [...new Set([...words, ...pairs])].toSorted();
}

function characterPairs(text: string): readonly string[] {
  const characters = Array.from(text);
  return characters.length === 1 ? characters : characters.slice(1).map((each, at) => `${characters[at]}${each}`);
}

/** A simple stemmer that maps "caching", "cached", "caches" and "cache" to one word. */
function stem(word: string): string {
  const plain = stripFinalE(stripEnding(toSingular(word)));
  return SYNONYMS.get(plain) ?? plain;
}

function toSingular(word: string): string {
  if (word.length <= 3 || /(ss|us|is)$/.test(word)) return word;
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (/(s|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return word.replace(/s$/, "");
}

function stripEnding(word: string): string {
  const cut = /^(.{3,})(?:ing|ed)$/.exec(word)?.[1] ?? /^(.{3,}[ts])ion$/.exec(word)?.[1];
  if (cut === undefined || !/[aeiouy]/.test(cut)) return word;
  // "splitting" becomes "split", but "missing" becomes "miss".
  return /([^aeioulsz])\1$/.test(cut) ? cut.slice(0, -1) : cut;
}

function stripFinalE(word: string): string {
  return word.length > 3 ? word.replace(/e$/, "") : word;
}

/** Code symbols in a title: words in camel case, with underscores, in backticks or followed by a parenthesis. */
export function namesInCode(title: string): ReadonlySet<string> {
  const words = title.match(/`[^`]+`|[\p{L}\p{N}_$]+\(?/gu) ?? [];
  const names = words.filter((word) => /^`|[_(]|\p{Ll}\p{Lu}/u.test(word));
  return new Set(names.map((name) => name.replace(/[`()_]/g, "").toLowerCase()));
}
