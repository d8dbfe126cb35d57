type Snake<Key extends string> = Key extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : Key;
type Camel<Column extends string> = Column extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Column;

/** The fields of an object as columns: `createdAt` is stored as `created_at`. */
export type Columns<T> = { -readonly [Key in keyof T & string as Snake<Key>]: T[Key] };
type Fields<Row> = { [Column in keyof Row & string as Camel<Column>]: Row[Column] };

// The casts are safe: `Snake` and `Camel` are the types of these conversions.

export function toColumns<T extends object>(value: T): Columns<T> {
  return renameKeys(value, (field) => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)) as Columns<T>;
}

export function toFields<Row extends object>(row: Row): Fields<Row> {
  return renameKeys(row, (column) => column.replaceAll(/_./g, (part) => part.slice(1).toUpperCase())) as Fields<Row>;
}

function renameKeys(from: object, rename: (key: string) => string): object {
  return Object.fromEntries(Object.entries(from).map(([key, value]) => [rename(key), value]));
}
