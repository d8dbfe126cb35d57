import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import { describe, expect, it } from "vitest";
import { exampleOf, outcomesOf, type ReportScope } from "./outcome.ts";
import { PLAN_KINDS } from "./outcome-entry.ts";
import { outcomeJsonSchema } from "./outcome-json-schema.ts";
import { readReport } from "./read-outcome.ts";
import { ROLES } from "../task/role.ts";
import { type JsonSchema, strictSchema } from "./simplify-schema.ts";

const validators = new AjvJsonSchemaValidator();

function fits(schema: JsonSchema, value: unknown): boolean {
  return validators.getValidator(schema)(value).valid;
}

function examplesOf({ role, plan }: ReportScope): readonly Readonly<Record<string, unknown>>[] {
  return outcomesOf(role).map((name) => exampleOf(name, plan));
}

/** Adds every missing key as null, like a model that must write every key. */
function spellOut(value: unknown, schema: JsonSchema): unknown {
  const objects = [schema, ...(schema.anyOf ?? [])].find(({ properties }) => properties !== undefined);
  const items = [schema, ...(schema.anyOf ?? [])].find((each) => each.items !== undefined)?.items;
  if (Array.isArray(value)) return items === undefined ? value : value.map((each) => spellOut(each, items));
  if (typeof value !== "object" || value === null || objects?.properties === undefined) return value ?? null;
  const values: Readonly<Record<string, unknown>> = { ...value };
  return Object.fromEntries(
    Object.entries(objects.properties).map(([name, property]) => [name, spellOut(values[name], property)]),
  );
}

function everySchema(schema: JsonSchema): readonly JsonSchema[] {
  const inner = [...Object.values(schema.properties ?? {}), ...(schema.anyOf ?? []), schema.items ?? []].flat();
  return [schema, ...inner.flatMap(everySchema)];
}

const SCOPES = ROLES.flatMap((role) => PLAN_KINDS.map((plan): ReportScope => ({ role, plan })));

describe.each(SCOPES)("JSON schema of $role with plan kind $plan", (scope) => {
  const { role } = scope;
  const schema = outcomeJsonSchema(scope);

  it("is an object that lists exactly the role's outcomes", () => {
    expect(schema).toMatchObject({ type: "object", required: ["outcome"] });
    expect(schema.properties?.["outcome"]?.enum).toEqual(outcomesOf(role));
  });

  it("accepts every report that the role may make and no other outcome", () => {
    for (const example of examplesOf(scope)) {
      expect(readReport(example, scope).ok).toBe(true);
      expect(fits(schema, example), JSON.stringify(example)).toBe(true);
    }
    expect(fits(schema, { outcome: "checks_passed", summary: "all green" })).toBe(false);
    expect(fits(schema, { summary: "no outcome" })).toBe(false);
  });

  it("rejects values of the wrong type", () => {
    expect(fits(schema, { outcome: "needs_info", questions: "none" })).toBe(false);
    expect(fits(schema, { outcome: "needs_info", questions: [{ id: "a", question: "?", input: "number" }] })).toBe(
      false,
    );
    expect(fits(schema, { outcome: "needs_info", questions: [{ question: "?", input: "text" }] })).toBe(false);
  });

  it("uses only keywords that every model API supports", () => {
    const words = new Set(everySchema(strictSchema(schema)).flatMap((each) => Object.keys(each)));
    expect([...words].filter((word) => !PLAIN_WORDS.includes(word))).toEqual([]);
  });

  it("can be made strict and then accepts the same reports with every key written", () => {
    const strict = strictSchema(schema);
    for (const { type, properties = {}, required, additionalProperties } of everySchema(strict)) {
      if (type !== "object") continue;
      expect([required, additionalProperties]).toEqual([Object.keys(properties), false]);
    }
    for (const example of examplesOf(scope)) {
      const report = spellOut(example, strict);
      expect(fits(strict, report), JSON.stringify(report)).toBe(true);
      expect(readReport(report, scope)).toEqual(readReport(example, scope));
    }
    expect(fits(strict, { outcome: "needs_info" })).toBe(false);
  });
});

const PLAIN_WORDS = "type description enum items properties required additionalProperties anyOf".split(" ");

it("outcomeJsonSchema: descriptions contain the required fields of each outcome and the limits", () => {
  const { properties } = outcomeJsonSchema({ role: "plan", plan: "document" });
  expect(properties?.["outcome"]?.description).toContain("plan_complete: needs plan, plan_summary; may have summary");
  expect(properties?.["outcome"]?.description).not.toContain("needs prompt");
  expect(properties?.["questions"]?.description).toBe("For needs_info. At least 1 and at most 5 entries.");
  expect(properties?.["questions"]?.items?.properties?.["id"]?.description).toMatch(/^1 to 64 letters/);
  expect(properties?.["summary"]?.description).toBe("For plan_complete, needs_info, options_proposed.");
});
