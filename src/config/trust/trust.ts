import { ConfigError } from "../../core/text/errors.ts";
import type { ConfigFormat } from "../parse/parse-config.ts";
import type { ProjectWritten, UserWritten } from "../schema/schema.ts";
import { baseOf, canonical, guardOf, listWidening, toAmount, toPath, valueAt, type WideningSet } from "./widening.ts";

/** Prefix of file paths in the set. Keys of settings have no colon. */
const FILE = "file:";

/** A permission that the project's files request and that is not accepted. `accepted` is used instead; null means nothing. */
export interface Pending {
  readonly key: string;
  readonly accepted: unknown;
  readonly asked: unknown;
}

/** SHA-256 of each file that controls agents, by its path in the repository. */
export type FileHashes = Readonly<Record<string, string>>;

export interface Applied {
  /** The effective settings: as written, except that values which request more permissions are replaced by the accepted ones. */
  readonly written: ProjectWritten;
  readonly pending: readonly Pending[];
}

/** Returns the value of `Project.accepted` for a person who accepts these files. */
export function describeAccepted(written: ProjectWritten, files: FileHashes): string {
  const hashes = Object.entries(files).map(([path, hash]) => [FILE + path, hash]);
  return canonical({ ...listWidening(written), ...Object.fromEntries(hashes) });
}

/** An invalid text means that nothing is accepted. */
export function readAccepted(text: string): WideningSet {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}

/** Limits a project's settings to the accepted permissions. Fewer permissions are always allowed; more need a person. */
export function applyAccepted(
  written: ProjectWritten,
  accepted: WideningSet,
  user: UserWritten,
  schemas: ConfigFormat["schemas"],
): Applied {
  const { result, pending } = compare(written, accepted, user);
  const checked = schemas.project.safeParse(dropEmptySecrets(result));
  if (checked.success) return { written: checked.data, pending };
  const message = "the accepted settings of this project are not valid in this version; run `nightshift trust`";
  throw new ConfigError([{ file: null, line: null, column: null, key: "", message }]);
}

/** Lists the changes that need a person. Works even if the accepted settings are not valid any more, so that they can be accepted again. */
export function listPending(written: ProjectWritten, accepted: WideningSet, user: UserWritten): readonly Pending[] {
  return compare(written, accepted, user).pending;
}

interface Comparison {
  readonly result: Record<string, unknown>;
  readonly pending: readonly Pending[];
}

function compare(written: ProjectWritten, accepted: WideningSet, user: UserWritten): Comparison {
  const result: Record<string, unknown> = structuredClone(written);
  const pending: Pending[] = [];
  const keys = new Set([...Object.keys(listWidening(written)), ...Object.keys(accepted).filter((key) => !isFile(key))]);
  for (const key of keys) {
    const path = toPath(key);
    const asked = valueAt(written, path);
    const { value, needsPerson } = decide(path, { asked, accepted: accepted[key], base: baseOf(path, user) });
    setAt(result, path, value);
    if (needsPerson) pending.push({ key, accepted: accepted[key] ?? null, asked: asked ?? null });
  }
  return { result, pending };
}

/** Lists files that were added, changed or removed since a person accepted them. */
export function listPendingFiles(files: FileHashes, accepted: WideningSet): Pending[] {
  return [...new Set([...Object.keys(files), ...listAcceptedFiles(accepted)])].toSorted().flatMap((path) => {
    const pending = { key: path, accepted: accepted[FILE + path] ?? null, asked: files[path] ?? null };
    return pending.accepted === pending.asked ? [] : [pending];
  });
}

export function listAcceptedFiles(accepted: WideningSet): string[] {
  return Object.keys(accepted)
    .filter(isFile)
    .map((key) => key.slice(FILE.length));
}

/** Throws unless a file that controls agents is exactly as a person accepted it. A null `hash` means that it does not exist. */
export function requireAcceptedFile(path: string, hash: string | null, accepted: WideningSet): void {
  const before = accepted[FILE + path] ?? null;
  if (before === hash) return;
  const what = before === null ? "is new" : hash === null ? "was removed" : "has changed";
  const message = `${what} and controls agents, so a person must accept it first; run \`nightshift trust\` in the checkout`;
  throw new ConfigError([{ file: path, line: null, column: null, key: "", message }]);
}

interface RequestedValue {
  readonly asked: unknown;
  readonly accepted: unknown;
  /** The value that applies without the project's file. */
  readonly base: unknown;
}

interface TrustDecision {
  readonly value: unknown;
  readonly needsPerson: boolean;
}

function decide(path: readonly string[], request: RequestedValue): TrustDecision {
  const { asked, accepted, base } = request;
  const granted: TrustDecision = { value: asked, needsPerson: false };
  const held: TrustDecision = { value: accepted, needsPerson: true };
  if (isSafe(path, asked) || same(asked, accepted)) return granted;
  switch (guardOf(path)) {
    case "free":
      return granted;
    case "amount":
      return toAmount(asked ?? base) <= toAmount(accepted ?? base) ? granted : held;
    case "list":
      return decideList(request);
    case "grant":
      return asked === undefined || same(asked, base) ? granted : held;
    case "gate":
      return accepted === undefined && same(asked, base) ? granted : held;
  }
}

function decideList({ asked, accepted, base }: RequestedValue): TrustDecision {
  const known = [...asList(accepted), ...asList(base)].map(canonical);
  if (asked === undefined) {
    // Without the list the base applies again, which may be more than was accepted.
    const accepts = asList(accepted).map(canonical);
    const isNarrower = asList(base).every((item) => accepts.includes(canonical(item)));
    return isNarrower ? { value: undefined, needsPerson: false } : { value: accepted, needsPerson: true };
  }
  const value = asList(asked).filter((item) => known.includes(canonical(item)));
  return { value, needsPerson: value.length < asList(asked).length };
}

/** Values that grant no permissions, whatever was accepted before. */
function isSafe(path: readonly string[], asked: unknown): boolean {
  const [section, key] = path;
  if (section === "gates") return asked === (key === "proof" ? "require" : "person");
  if (section === "fail_on_warning") return asked === true;
  return section === "improve" && key === "publish" && asked === "engine";
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function same(a: unknown, b: unknown): boolean {
  return canonical(a ?? null) === canonical(b ?? null);
}

function isFile(key: string): boolean {
  return key.startsWith(FILE);
}

function setAt(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [head = "", ...rest] = path;
  if (rest.length > 0) {
    const inner = (target[head] ??= {}) as Record<string, unknown>; // every section that has parts is a map
    setAt(inner, rest, value);
  } else if (value === undefined) delete target[head];
  else target[head] = value;
}

/** A secret without roles grants nothing, so it is removed, and so is an empty section. */
function dropEmptySecrets(written: Record<string, unknown>): Record<string, unknown> {
  const secrets = Object.entries((written["secrets"] ?? {}) as Record<string, { roles?: unknown[] }>); // shape of the schema
  const kept = secrets.filter(([, secret]) => (secret.roles ?? []).length > 0);
  const { secrets: _, ...others } = written;
  return kept.length === 0 ? others : { ...others, secrets: Object.fromEntries(kept) };
}
