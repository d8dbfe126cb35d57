import { z } from "zod";
import type { KeyPath } from "../parse/parse-yaml.ts";

/** JSON Schema, as far as we look into it. */
export interface SchemaNode {
  readonly description?: string;
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly items?: SchemaNode;
}

/** The schema of the written shape, for editors and for our own sentences. */
export function toJsonSchema(schema: z.ZodType): SchemaNode {
  // The cast: zod's type covers every draft and keyword; we read the few above.
  return z.toJSONSchema(schema, { io: "input", target: "draft-7" }) as SchemaNode;
}

/** The keys that may stand in the section at `path`. */
export function listKeys(schema: z.ZodType, path: KeyPath): string[] {
  let node: SchemaNode | undefined = toJsonSchema(schema);
  for (const part of path) {
    const inner: SchemaNode | boolean | undefined =
      typeof part === "number" ? node?.items : (node?.properties?.[part] ?? node?.additionalProperties);
    node = typeof inner === "object" ? inner : undefined;
  }
  return Object.keys(node?.properties ?? {});
}
