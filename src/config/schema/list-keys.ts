import { z } from "zod";
import type { KeyPath } from "../parse/parse-yaml.ts";

/** The part of JSON Schema that we read. */
export interface SchemaNode {
  readonly description?: string;
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly items?: SchemaNode;
}

/** Converts the schema of a configuration file for editors and error messages. */
export function toJsonSchema(schema: z.ZodType): SchemaNode {
  // zod's type covers every draft and keyword; we read only the keywords above.
  return z.toJSONSchema(schema, { io: "input", target: "draft-7" }) as SchemaNode;
}

/** Lists the keys allowed in the section at `path`. */
export function listKeys(schema: z.ZodType, path: KeyPath): string[] {
  let node: SchemaNode | undefined = toJsonSchema(schema);
  for (const part of path) {
    const inner: SchemaNode | boolean | undefined =
      typeof part === "number" ? node?.items : (node?.properties?.[part] ?? node?.additionalProperties);
    node = typeof inner === "object" ? inner : undefined;
  }
  return Object.keys(node?.properties ?? {});
}
