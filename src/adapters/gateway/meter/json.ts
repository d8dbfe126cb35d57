/** Untrusted JSON. The readers below return null for missing values and wrong types. */
export type Json = Readonly<Record<string, unknown>>;

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export function objectIn(value: unknown, ...keys: readonly string[]): Json | null {
  let at = value;
  for (const key of keys) at = isObject(at) && Object.hasOwn(at, key) ? at[key] : null;
  return isObject(at) ? at : null;
}

export function textIn(object: Json | null, key: string): string | null {
  const value = object?.[key];
  return typeof value === "string" && value !== "" ? value : null;
}

/** Reads a non-negative integer. */
export function countIn(object: Json | null, ...keys: readonly string[]): number | null {
  for (const key of keys) {
    const value = object?.[key];
    if (typeof value === "number" && Number.isFinite(value) && value >= 0) return Math.floor(value);
  }
  return null;
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
