/** The words of JSON Schema that every model API understands. */
export type JsonSchema = {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false;
  readonly anyOf?: readonly JsonSchema[];
};

/** Limits turn into sentences, since some APIs refuse the keywords for them. Null goes: what may be null may be left out. */
export function simplifySchema(schema: unknown): JsonSchema {
  // What zod makes of our own schemas.
  const given = schema as Given;
  if (given.anyOf !== undefined) return anyOf(given.anyOf);
  const [type = "string"] = [given.type ?? []].flat().filter((each) => each !== "null");
  const limits = describeLimits(given);
  return {
    type,
    ...(limits === "" ? {} : { description: limits }),
    ...(given.enum === undefined ? {} : { enum: given.enum }),
    ...(given.items === undefined ? {} : { items: simplifySchema(given.items) }),
    ...(given.properties === undefined ? {} : { properties: mapValues(given.properties, simplifySchema) }),
    ...(given.required === undefined ? {} : { required: given.required }),
  };
}

/**
 * The same for APIs that take a schema only if it leaves nothing open: every object names all its keys, and what was
 * optional may be null, which `readReport` takes for nothing.
 */
export function strictSchema(schema: JsonSchema): JsonSchema {
  const { anyOf: choices, items, properties, required = [] } = schema;
  return {
    ...schema,
    ...(choices === undefined ? {} : { anyOf: choices.map(strictSchema) }),
    ...(items === undefined ? {} : { items: strictSchema(items) }),
    ...(properties === undefined
      ? {}
      : {
          properties: mapValues(properties, (property, name) =>
            required.includes(name) ? strictSchema(property) : orNull(strictSchema(property)),
          ),
          required: Object.keys(properties),
          additionalProperties: false,
        }),
  };
}

interface Given {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly items?: unknown;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly unknown[];
  readonly format?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

function anyOf(choices: readonly unknown[]): JsonSchema {
  const flat = choices
    .filter((choice) => (choice as Given).type !== "null")
    .map(simplifySchema)
    .flatMap((choice) => choice.anyOf ?? [choice]);
  const [first, ...others] = flat;
  return first !== undefined && others.length === 0 ? first : { anyOf: flat };
}

function orNull(schema: JsonSchema): JsonSchema {
  const { description, ...rest } = schema;
  const choices = rest.anyOf ?? [rest];
  return { ...(description === undefined ? {} : { description }), anyOf: [...choices, { type: "null" }] };
}

function describeLimits({ description, format, minItems, maxItems, minimum, ...more }: Given): string {
  const maximum = more.maximum === Number.MAX_SAFE_INTEGER ? undefined : more.maximum;
  const sentences = [
    description === undefined ? null : `${description}.`,
    format === "date-time" ? "An ISO 8601 time with an offset." : null,
    range(minItems, maxItems, "entries"),
    range(minimum, maximum, ""),
  ];
  return sentences.filter((sentence) => sentence !== null).join(" ");
}

function range(least: number | undefined, most: number | undefined, of: string): string | null {
  const parts = [
    least === undefined ? [] : [`at least ${least}`],
    most === undefined ? [] : [`at most ${most}`],
  ].flat();
  if (parts.length === 0) return null;
  const [first = "", ...others] = parts;
  const start = first.charAt(0).toUpperCase() + first.slice(1);
  return `${[start, ...others].join(" and ")}${of === "" ? "" : ` ${of}`}.`;
}

function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  map: (value: From, name: string) => To,
): Readonly<Record<string, To>> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]));
}
