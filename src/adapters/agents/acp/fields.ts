// What an agent sends is read field by field: one odd field in a message must not cost the rest of it. No imports: the client
// is mounted into the sandbox file by file.

export type Fields = Readonly<Record<string, unknown>>;

/** The fields of an object; none where it is something else. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** A count or an amount; null where it is none. */
export function numberOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}
