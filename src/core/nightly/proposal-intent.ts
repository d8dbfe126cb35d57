/** The improvement that a candidate or proposal describes. */
export interface Intent {
  readonly category: string;
  readonly files: readonly string[];
  readonly title: string;
}

/** Stems that occur in many titles and therefore do not distinguish them. */
const COMMON_WORDS = new Set(
  "add improv updat chang fix mak us use refactor cleanup clean enhanc better smaller larg long introduc creat writ cover coverag miss lack test unit case document code file modul class function helper explain describ expand extend handl ensur provid proper properly small minor".split(
    " ",
  ),
);

export function intentFingerprint(intent: Intent, digest: (text: string) => string): string {
  const files = [...new Set(intent.files)].toSorted();
  return digest(JSON.stringify([intent.category, files, titleWords(intent.title)]));
}

/** The same title for the same files is the same idea, even in another category. */
function isSameIdea(one: Omit<Intent, "category">, other: Omit<Intent, "category">): boolean {
  return one.files.length > 0 && ideaKey(one) === ideaKey(other);
}

/** A title without meaningful words only equals itself. */
function ideaKey({ files, title }: Omit<Intent, "category">): string {
  const words = titleWords(title);
  return JSON.stringify([[...new Set(files)].toSorted(), words.length === 0 ? title.trim() : words]);
}

/**
 * True if both describe the same improvement, even in different words: the same idea, or the same category, at least half
 * of the files (of the shorter list) and at least half of the distinctive title words. Common words and file names are not
 * distinctive. If both titles name code symbols and share none, they are about different places.
 */
export function isSameIntent(one: Intent, other: Intent): boolean {
  if (one.category !== other.category) return isSameIdea(one, other);
  const [files, otherFiles] = [[...new Set(one.files)], [...new Set(other.files)]];
  const shared = [...findShared(files, otherFiles), ...findShared(otherFiles, files)];
  const sharedCount = Math.max(findShared(files, otherFiles).length, findShared(otherFiles, files).length);
  if (sharedCount === 0 || sharedCount * 2 < Math.min(files.length, otherFiles.length)) return false;
  return !nameDifferentSymbols(one.title, other.title) && haveSimilarWords(one.title, other.title, shared);
}

/** The files that also occur in `others`. A directory matches every file in it. */
function findShared(files: readonly string[], others: readonly string[]): readonly string[] {
  return files.filter((file) =>
    others.some((other) => file === other || isWithin(file, other) || isWithin(other, file)),
  );
}

function isWithin(path: string, folder: string): boolean {
  return folder.endsWith("/") && path.startsWith(folder);
}

function nameDifferentSymbols(one: string, other: string): boolean {
  const [names, otherNames] = [namesInCode(one), namesInCode(other)];
  return names.size > 0 && otherNames.size > 0 && ![...names].some((name) => otherNames.has(name));
}

function isDistinctive(word: string): boolean {
  return !COMMON_WORDS.has(word);
}

function haveSimilarWords(one: string, other: string, files: readonly string[]): boolean {
  const [words, otherWords] = [titleWords(one), titleWords(other)];
  const fileWords = new Set(files.flatMap((file) => titleWords(baseName(file))));
  const isDistinctiveHere = (word: string): boolean => isDistinctive(word) && !fileWords.has(word);
  // Compares with the strictest filter that leaves words in both titles.
  for (const isCompared of [isDistinctiveHere, isDistinctive, () => true]) {
    const [left, right] = [words.filter(isCompared), otherWords.filter(isCompared)];
    if (left.length > 0 && right.length > 0) return overlapByHalf(left, right);
  }
  return words.length === otherWords.length;
}

function overlapByHalf(left: readonly string[], right: readonly string[]): boolean {
  const shared = left.filter((word) => right.includes(word)).length;
  return shared * 2 >= left.length + right.length - shared;
}

function baseName(path: string): string {
  const name = path.replace(/\/$/, "");
  return name.slice(name.lastIndexOf("/") + 1).replace(/\.[^.]+$/, "");
}

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
