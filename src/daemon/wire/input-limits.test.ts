import { describe, expect, it } from "vitest";
import { z } from "zod";
import { AGENT_OUTCOMES, reportForm } from "../../core/outcomes/outcome.ts";
import { PLAN_KINDS } from "../../core/outcomes/outcome-entry.ts";
import { ConfigError } from "../../core/text/errors.ts";
import type { Route } from "../../http/contract/route.ts";
import { ROUTES } from "../../http/contract/routes.ts";
import { REGISTRY } from "./registry.ts";

/** The part of JSON Schema that can be unbounded. */
interface Node {
  readonly type?: string;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Node;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly additionalProperties?: Node | boolean;
  readonly propertyNames?: Node;
  readonly anyOf?: readonly Node[];
  readonly oneOf?: readonly Node[];
  readonly allOf?: readonly Node[];
}

/** Lists the strings, lists and records of a schema that have no limit. */
function listUnbounded(schema: z.ZodType, path: string): string[] {
  // The reference to a shared schema would hide it, so each use is written out.
  const json = z.toJSONSchema(schema, { io: "input", reused: "inline", unrepresentable: "any" });
  return visit(json as Node, path);
}

function visit(node: Node, path: string): string[] {
  const isFixed = node.enum !== undefined || node.const !== undefined;
  const isRecord = typeof node.additionalProperties === "object";
  return [
    ...(node.type === "string" && node.maxLength === undefined && !isFixed ? [`${path}: string`] : []),
    ...(node.type === "array" && node.maxItems === undefined ? [`${path}: list`] : []),
    ...(isRecord && node.maxProperties === undefined ? [`${path}: record`] : []),
    ...(node.items === undefined ? [] : visit(node.items, `${path}[]`)),
    ...Object.entries(node.properties ?? {}).flatMap(([key, child]) => visit(child, `${path}.${key}`)),
    ...(isRecord ? visit(node.additionalProperties, `${path}.*`) : []),
    ...(isRecord && node.propertyNames !== undefined
      ? visit({ type: "string", ...node.propertyNames }, `${path}.(key)`)
      : []),
    ...[node.anyOf, node.oneOf, node.allOf].flatMap((list = []) => list.flatMap((child) => visit(child, path))),
  ];
}

describe("limits: every string, list and record has a maximum", () => {
  it("in everything that a request of the API contains", () => {
    const found = Object.entries<Route>(ROUTES).flatMap(([key, { params, query, body }]) => [
      ...listUnbounded(params, `${key} params`),
      ...listUnbounded(query, `${key} query`),
      ...(body === null ? [] : listUnbounded(body, `${key} body`)),
    ]);
    expect(found).toEqual([]);
  });

  it("in the configuration files", () => {
    const { project, user } = REGISTRY.format.schemas;
    expect([...listUnbounded(project, "nightshift.yaml"), ...listUnbounded(user, "config.yaml")]).toEqual([]);
  });

  it("in what agents report", () => {
    const found = AGENT_OUTCOMES.flatMap((name) =>
      PLAN_KINDS.flatMap((plan) => listUnbounded(reportForm(name, plan).schema, `${name} (${plan})`)),
    );
    expect(found).toEqual([]);
  });

  it("or this test reports it", () => {
    const open = z.object({ a: z.string(), b: z.array(z.int()), c: z.record(z.string(), z.string().max(1)) });
    expect(listUnbounded(open.optional(), "open")).toEqual([
      "open.a: string",
      "open.b: list",
      "open.c: record",
      "open.c.(key): string",
    ]);
  });
});

it("limits: a nightshift.yaml with too many checks is refused, and the message names the limit", () => {
  const checks = Array.from({ length: 2000 }, (_, index) => `  check-${index}: { command: "true" }`).join("\n");
  const parse = () => REGISTRY.format.parseProject(`checks:\n${checks}\n`, "nightshift.yaml");
  expect(parse).toThrow(ConfigError);
  expect(parse).toThrow(/checks: found keys and values; allowed: at most 100 entries/);
});
