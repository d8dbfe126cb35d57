import { didYouMean } from "../../core/text/did-you-mean.ts";
import { DURATION_FORM, parseDuration } from "../../core/schedule/duration.ts";

export type Path = readonly (string | number)[];
export type Report = (path: Path, message: string) => void;

/** A value in the file, its path, and a callback that reports problems. */
export interface Field {
  readonly value: unknown;
  readonly path: Path;
  readonly report: Report;
}

/** Returns the fields of a map and reports unknown keys (`keys` null: any key). Reports and returns null if it is not a map. */
export function readMap(field: Field, what: string, keys: readonly string[] | null): ReadonlyMap<string, Field> | null {
  const { value, path, report } = field;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    report(path, `Expected ${what}, found ${show(value)}.`);
    return null;
  }
  const fields = new Map<string, Field>();
  for (const [key, child] of Object.entries(value)) {
    const childPath = [...path, key];
    if (keys === null || keys.includes(key)) fields.set(key, { value: child, path: childPath, report });
    else report(childPath, `Unknown key ${show(key)}.${didYouMean(key, keys)} Allowed: ${keys.join(", ")}.`);
  }
  return fields;
}

export function readText({ value, path, report }: Field, what: string): string | null {
  if (typeof value === "string" && value.trim() !== "") return value;
  report(path, `Expected ${what}, found ${show(value)}.`);
  return null;
}

export function readTexts({ value, path, report }: Field, what: string): readonly string[] | null {
  if (Array.isArray(value) && value.every((item) => typeof item === "string" && item.trim() !== "")) return value;
  report(path, `Expected ${what}, found ${Array.isArray(value) ? "a list with other values" : show(value)}.`);
  return null;
}

export function readOneOf<T extends string>(field: Field, what: string, allowed: readonly T[]): T | null {
  const { value, path, report } = field;
  const found = allowed.find((candidate) => candidate === value);
  if (found !== undefined) return found;
  const hint = typeof value === "string" ? didYouMean(value, allowed) : "";
  report(path, `Expected ${what}, found ${show(value)}.${hint} Allowed: ${allowed.join(", ")}.`);
  return null;
}

export function readListOf<T extends string>(field: Field, what: string, allowed: readonly T[]): readonly T[] | null {
  if (!Array.isArray(field.value)) {
    field.report(field.path, `Expected a list, found ${show(field.value)}. Allowed: ${allowed.join(", ")}.`);
    return null;
  }
  const read = field.value.map((value, at) => readOneOf({ ...field, value, path: [...field.path, at] }, what, allowed));
  return [...new Set(read.filter((value) => value !== null))];
}

export function readBoolean({ value, path, report }: Field): boolean | null {
  if (typeof value === "boolean") return value;
  report(path, `Expected true or false, found ${show(value)}.`);
  return null;
}

export function readNumber(
  field: Field,
  range: { readonly above: number; readonly max: number; readonly whole: boolean },
): number | null {
  const { value, path, report } = field;
  if (
    typeof value === "number" &&
    value > range.above &&
    value <= range.max &&
    (!range.whole || Number.isInteger(value))
  )
    return value;
  const what = range.whole
    ? `a whole number from ${range.above + 1} to ${range.max}`
    : `a number above ${range.above}, at most ${range.max}`;
  report(path, `Expected ${what}, found ${show(value)}.`);
  return null;
}

export function readDuration({ value, path, report }: Field): number | null {
  const ms = typeof value === "string" ? parseDuration(value) : null;
  if (ms === null) report(path, `Expected ${DURATION_FORM}, found ${show(value)}.`);
  return ms;
}

const MAX_SHOWN = 60;

/** The value as short text that is safe for terminals and logs. */
export function show(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value !== "string") return "a map";
  const shown = value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value;
  return JSON.stringify(shown).replace(
    /\p{C}/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
