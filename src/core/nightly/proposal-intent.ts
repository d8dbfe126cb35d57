import { namesInCode, titleWords } from "./proposal-words.ts";

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
