import { namesInCode, titleWords } from "./proposal-words.ts";

/** What somebody wants to improve, in so many words. */
export interface Intent {
  readonly category: string;
  readonly files: readonly string[];
  readonly title: string;
}

/** Words of titles that say what is done everywhere, not what is done here. */
const COMMON = new Set(
  "add improv updat chang fix mak us use refactor cleanup clean enhanc better smaller larg long introduc creat writ cover coverag miss lack test unit case document code file modul class function helper explain describ expand extend handl ensur provid proper properly small minor".split(
    " ",
  ),
);

export function intentFingerprint(intent: Intent, digest: (text: string) => string): string {
  const files = [...new Set(intent.files)].toSorted();
  return digest(JSON.stringify([intent.category, files, titleWords(intent.title)]));
}

/** The same title for the same files: the same idea, whichever category it is proposed in. */
function isSameIdea(one: Omit<Intent, "category">, other: Omit<Intent, "category">): boolean {
  return one.files.length > 0 && ideaOf(one) === ideaOf(other);
}

/** A title without a word that tells anything is only ever the same as itself. */
function ideaOf({ files, title }: Omit<Intent, "category">): string {
  const words = titleWords(title);
  return JSON.stringify([[...new Set(files)].toSorted(), words.length === 0 ? title.trim() : words]);
}

/**
 * Whether both want the same, also in other words: the same idea, or else the same category, at least half of the files (of whoever names fewer)
 * and at least half of the words that tell titles apart. Words that every title has, or that name the files, do not; names
 * out of the code do: where both have some and none in common, they mean different places.
 */
export function isSameIntent(one: Intent, other: Intent): boolean {
  if (one.category !== other.category) return isSameIdea(one, other);
  const [files, otherFiles] = [[...new Set(one.files)], [...new Set(other.files)]];
  const shared = [...sharedBy(files, otherFiles), ...sharedBy(otherFiles, files)];
  const most = Math.max(sharedBy(files, otherFiles).length, sharedBy(otherFiles, files).length);
  if (most === 0 || most * 2 < Math.min(files.length, otherFiles.length)) return false;
  return !nameOthers(one.title, other.title) && saysTheSame(one.title, other.title, shared);
}

/** Those that the others name too; who names a folder names what is in it. */
function sharedBy(files: readonly string[], others: readonly string[]): readonly string[] {
  return files.filter((file) =>
    others.some((other) => file === other || isWithin(file, other) || isWithin(other, file)),
  );
}

function isWithin(path: string, folder: string): boolean {
  return folder.endsWith("/") && path.startsWith(folder);
}

function nameOthers(one: string, other: string): boolean {
  const [names, otherNames] = [namesInCode(one), namesInCode(other)];
  return names.size > 0 && otherNames.size > 0 && ![...names].some((name) => otherNames.has(name));
}

function isTelling(word: string): boolean {
  return !COMMON.has(word);
}

function saysTheSame(one: string, other: string, files: readonly string[]): boolean {
  const [words, otherWords] = [titleWords(one), titleWords(other)];
  const named = new Set(files.flatMap((file) => titleWords(nameOf(file))));
  const isOwn = (word: string): boolean => isTelling(word) && !named.has(word);
  // The strictest look at which both have anything to say.
  for (const keeps of [isOwn, isTelling, () => true]) {
    const [left, right] = [words.filter(keeps), otherWords.filter(keeps)];
    if (left.length > 0 && right.length > 0) return overlapInHalf(left, right);
  }
  return words.length === otherWords.length;
}

function overlapInHalf(left: readonly string[], right: readonly string[]): boolean {
  const shared = left.filter((word) => right.includes(word)).length;
  return shared * 2 >= left.length + right.length - shared;
}

function nameOf(path: string): string {
  const name = path.replace(/\/$/, "");
  return name.slice(name.lastIndexOf("/") + 1).replace(/\.[^.]+$/, "");
}
