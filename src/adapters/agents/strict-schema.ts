type Schema = Readonly<Record<string, unknown>>;

/**
 * The same report in the part of JSON Schema that OpenAI's structured output takes: every key required (null where there is
 * nothing to say), and no others. Looser than the original, which judges the report anyway. Null where it cannot be said so.
 */
export function strictSchema(schema: Schema): Schema | null {
  return isObject(schema) ? strictObject(schema) : null;
}

function strict(schema: Schema): Schema | null {
  if (["$ref", "allOf", "not", "if"].some((key) => Object.hasOwn(schema, key))) return null;
  const choices = choicesOf(schema);
  if (choices !== null) {
    const converted = choices.map(strict);
    return converted.includes(null) ? null : { anyOf: converted };
  }
  if (isObject(schema)) return strictObject(schema);
  const { type, description } = schema;
  const said = typeof description === "string" ? { description } : {};
  if (typeof schema["const"] === "string") return { type: "string", enum: [schema["const"]], ...said };
  if (type === "array") {
    const items = isSchema(schema["items"]) ? strict(schema["items"]) : null;
    return items === null ? null : { type, items, ...said };
  }
  if (typeof type !== "string" || type === "object") return null;
  return { type, ...(Array.isArray(schema["enum"]) && { enum: schema["enum"] }), ...said };
}

function strictObject(schema: Schema): Schema | null {
  const required = requiredOf(schema);
  const properties: Record<string, Schema> = {};
  for (const [key, property] of Object.entries(propertiesOf(schema))) {
    const converted = strict(property);
    if (converted === null) return null;
    properties[key] = required.includes(key) ? converted : { anyOf: [converted, { type: "null" }] };
  }
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
}

function choicesOf(schema: Schema): readonly Schema[] | null {
  const choices = schema["oneOf"] ?? schema["anyOf"];
  return Array.isArray(choices) ? choices.filter(isSchema) : null;
}

function propertiesOf(schema: Schema): Readonly<Record<string, Schema>> {
  const properties = isSchema(schema["properties"]) ? schema["properties"] : {};
  return Object.fromEntries(Object.entries(properties).filter((pair): pair is [string, Schema] => isSchema(pair[1])));
}

function requiredOf(schema: Schema): readonly unknown[] {
  return Array.isArray(schema["required"]) ? schema["required"] : [];
}

/** Objects of any keys cannot be said strictly. */
function isObject(schema: Schema): boolean {
  return schema["type"] === "object" && isSchema(schema["properties"]);
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
