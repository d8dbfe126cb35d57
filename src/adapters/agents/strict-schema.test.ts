import { expect, test } from "vitest";
import { outcomeJsonSchema } from "../../core/outcome-json-schema.ts";
import { ROLES } from "../../core/role.ts";
import { strictSchema } from "./strict-schema.ts";

test("every key is required, what was optional may be null, and nothing else is let in", () => {
  const schema = {
    type: "object",
    properties: {
      outcome: { const: "done" },
      files: { type: "array", items: { type: "string", maxLength: 9 }, maxItems: 3, description: "Which." },
    },
    required: ["outcome"],
  };
  expect(strictSchema(schema)).toEqual({
    type: "object",
    properties: {
      outcome: { type: "string", enum: ["done"] },
      files: {
        anyOf: [{ type: "array", items: { type: "string" }, description: "Which." }, { type: "null" }],
      },
    },
    required: ["outcome", "files"],
    additionalProperties: false,
  });
});

test.each([
  [{ anyOf: [{ type: "object", properties: {} }] }],
  [{ type: "string" }],
  [{ type: "object", additionalProperties: true }],
  [{ type: "object", properties: { a: {} } }],
  [{ type: "object", properties: { a: { type: "object" } } }],
  [{ type: "object", properties: { a: { $ref: "#" } } }],
])("gives up on %j, which cannot be said so", (schema) => {
  expect(strictSchema(schema)).toBeNull();
});

test.each(ROLES)("the report of %s can be said so", (role) => {
  expect(strictSchema({ ...outcomeJsonSchema(role) })).toMatchObject({ additionalProperties: false });
});
