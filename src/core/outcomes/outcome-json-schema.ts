import { z } from "zod";
import { outcomesOf, reportForm, type AgentOutcome, type ReportScope } from "./outcome.ts";
import { simplifySchema, type JsonSchema } from "./simplify-schema.ts";

/**
 * JSON Schema for the reports of a role: one flat object with the properties of all its outcomes, of which only `outcome`
 * is required. Model APIs reject a union at the top level, and many support only basic keywords, so descriptions say which
 * property belongs to which outcome. The schema accepts more than `readReport`, which makes the final decision.
 */
export function outcomeJsonSchema({ role, plan }: ReportScope): JsonSchema {
  const key = `${role} ${plan}`;
  const schema = SCHEMAS.get(key) ?? buildSchema({ role, plan });
  SCHEMAS.set(key, schema);
  return schema;
}

/** Cached, because each schema takes two milliseconds to build and never changes. */
const SCHEMAS = new Map<string, JsonSchema>();

function buildSchema({ role, plan }: ReportScope): JsonSchema {
  const shapes = outcomesOf(role).map((outcome): Shape => {
    const { schema } = reportForm(outcome, plan);
    const { properties = {}, required = [] } = simplifySchema(z.toJSONSchema(schema, { io: "input" }));
    return { outcome, properties, required };
  });
  const names = new Set(shapes.flatMap(({ properties }) => Object.keys(properties)));
  const outcome = { type: "string", enum: outcomesOf(role), description: shapes.map(describeShape).join("\n") };
  const properties = [...names].map((name) => [name, mergeProperty(name, shapes)] as const);
  return { type: "object", properties: { outcome, ...Object.fromEntries(properties) }, required: ["outcome"] };
}

/** The object that reports an outcome. */
interface Shape {
  readonly outcome: AgentOutcome;
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
}

function describeShape({ outcome, properties, required }: Shape): string {
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  const optionalNote = optional.length === 0 ? "" : `; may have ${optional.join(", ")}`;
  return `${outcome}: needs ${required.join(", ")}${optionalNote}.`;
}

function mergeProperty(name: string, shapes: readonly Shape[]): JsonSchema {
  const seen = new Map<string, JsonSchema>();
  const users = new Set<AgentOutcome>();
  for (const { outcome, properties } of shapes) {
    const property = properties[name];
    if (property === undefined) continue;
    seen.set(JSON.stringify(property), property);
    users.add(outcome);
  }
  const [first = {}, ...others] = seen.values();
  const merged = others.length === 0 ? first : { anyOf: [first, ...others] };
  return { ...merged, description: [`For ${[...users].join(", ")}.`, merged.description].filter(Boolean).join(" ") };
}
