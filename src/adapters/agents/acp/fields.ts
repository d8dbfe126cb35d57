// Messages of agents are read field by field, so that one invalid field does not invalidate the rest. No imports: the client
// is mounted into the sandbox file by file.

export type Fields = Readonly<Record<string, unknown>>;

/** The fields of an object. Other values have none. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** A count or an amount. Null for other values. */
export function numberOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}
