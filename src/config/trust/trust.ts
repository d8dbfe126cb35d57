import { ConfigError } from "../../core/text/errors.ts";
import type { ConfigFormat } from "../parse/parse-config.ts";
import type { ProjectWritten, UserWritten } from "../schema/schema.ts";
import { baseOf, canonical, guardOf, listWidening, toAmount, toPath, valueAt, type WideningSet } from "./widening.ts";

/** Before the path of a file in the set; no key of settings has a colon. */
const FILE = "file:";

/** Something the project's files ask for that no person accepted; `accepted` holds instead, null: nothing. */
export interface Pending {
  readonly key: string;
  readonly accepted: unknown;
  readonly asked: unknown;
}

/** SHA-256 of each file that steers agents, by its path in the repository. */
export type FileHashes = Readonly<Record<string, string>>;

export interface Applied {
  /** What counts: as written where nothing is widened, as accepted before where something is. */
  readonly written: ProjectWritten;
  readonly pending: readonly Pending[];
}

/** What a person accepts by saying yes to these files: the text for `Project.accepted`. */
export function describeAccepted(written: ProjectWritten, files: FileHashes): string {
  const hashes = Object.entries(files).map(([path, hash]) => [FILE + path, hash]);
  return canonical({ ...listWidening(written), ...Object.fromEntries(hashes) });
}

/** A text that is none of ours accepts nothing. */
export function readAccepted(text: string): WideningSet {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}

/** Holds a project's settings to what was accepted. Narrower is always fine; wider waits for a person. */
export function applyAccepted(
  written: ProjectWritten,
  accepted: WideningSet,
  user: UserWritten,
  schemas: ConfigFormat["schemas"],
): Applied {
  const { result, pending } = compare(written, accepted, user);
  const checked = schemas.project.safeParse(dropHollow(result));
  if (checked.success) return { written: checked.data, pending };
  const message = "what was accepted for this project does not fit this version; run `nightshift trust`";
  throw new ConfigError([{ file: null, line: null, column: null, key: "", message }]);
}

/** What waits for a person; also where what was accepted before fits no longer, or nobody could accept anew. */
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
    const { value, waits } = judge(path, { asked, accepted: accepted[key], base: baseOf(path, user) });
    setAt(result, path, value);
    if (waits) pending.push({ key, accepted: accepted[key] ?? null, asked: asked ?? null });
  }
  return { result, pending };
}

/** Files that are new, changed or gone since a person accepted them. */
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

/** A file that steers agents is used as a person accepted it, or not at all; `hash` null: it is not there. */
export function requireAcceptedFile(path: string, hash: string | null, accepted: WideningSet): void {
  const before = accepted[FILE + path] ?? null;
  if (before === hash) return;
  const what = before === null ? "is new" : hash === null ? "is gone" : "has changed";
  const message = `${what} and steers agents, so a person has to accept that first: run \`nightshift trust\` in the checkout`;
  throw new ConfigError([{ file: path, line: null, column: null, key: "", message }]);
}

interface Claim {
  readonly asked: unknown;
  readonly accepted: unknown;
  /** What would hold if the project's file said nothing. */
  readonly base: unknown;
}

interface Verdict {
  readonly value: unknown;
  readonly waits: boolean;
}

function judge(path: readonly string[], claim: Claim): Verdict {
  const { asked, accepted, base } = claim;
  const granted: Verdict = { value: asked, waits: false };
  const held: Verdict = { value: accepted, waits: true };
  if (isSafe(path, asked) || same(asked, accepted)) return granted;
  switch (guardOf(path)) {
    case "free":
      return granted;
    case "amount":
      return toAmount(asked ?? base) <= toAmount(accepted ?? base) ? granted : held;
    case "list":
      return judgeList(claim);
    case "grant":
      return asked === undefined || same(asked, base) ? granted : held;
    case "gate":
      return accepted === undefined && same(asked, base) ? granted : held;
  }
}

function judgeList({ asked, accepted, base }: Claim): Verdict {
  const known = [...asList(accepted), ...asList(base)].map(canonical);
  if (asked === undefined) {
    // Without the list the base would hold again, which may be more than was accepted.
    const accepts = asList(accepted).map(canonical);
    const isNarrower = asList(base).every((item) => accepts.includes(canonical(item)));
    return isNarrower ? { value: undefined, waits: false } : { value: accepted, waits: true };
  }
  const value = asList(asked).filter((item) => known.includes(canonical(item)));
  return { value, waits: value.length < asList(asked).length };
}

/** Values that give away nothing, whatever was accepted before. */
function isSafe(path: readonly string[], asked: unknown): boolean {
  const [section, key] = path;
  if (section === "gates") return asked === "person";
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

/** A secret for no role and an emptied section are as good as not there. */
function dropHollow(written: Record<string, unknown>): Record<string, unknown> {
  const secrets = Object.entries((written["secrets"] ?? {}) as Record<string, { roles?: unknown[] }>); // shape of the schema
  const kept = secrets.filter(([, secret]) => (secret.roles ?? []).length > 0);
  const { secrets: _, ...others } = written;
  return kept.length === 0 ? others : { ...others, secrets: Object.fromEntries(kept) };
}
