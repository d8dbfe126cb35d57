import { z } from "zod";
import { problemSchema } from "./contract/problem.ts";
import { BASE, type Route } from "./contract/route.ts";
import { ROUTES } from "./contract/routes.ts";

type Json = Record<string, unknown>;

/** Describes all routes as OpenAPI 3.1. */
export function describeApi(version: string): Json {
  const schemas: Json = {};
  const paths: Record<string, Json> = {};
  const problem = schemaOf(problemSchema, "output", schemas);
  for (const [key, row] of Object.entries<Route>(ROUTES)) {
    const [method = "", path = ""] = key.split(" ");
    const address = path.replaceAll(/:(\w+)/g, "{$1}");
    paths[address] = { ...paths[address], [method.toLowerCase()]: describeRoute(key, row, { schemas, problem }) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Nightshift", version, license: { name: "MIT", identifier: "MIT" } },
    servers: [{ url: BASE }],
    security: [{ token: [] }, { cookie: [] }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        token: { type: "http", scheme: "bearer" },
        cookie: { type: "apiKey", in: "cookie", name: "nightshift" },
      },
    },
  };
}

interface Shared {
  readonly schemas: Json;
  readonly problem: Json;
}

function describeRoute(key: string, row: Route, { schemas, problem }: Shared): Json {
  const isMutation = !key.startsWith("GET ");
  return {
    operationId: key.replaceAll(/[^A-Za-z]+/g, "_").toLowerCase(),
    summary: row.summary,
    ...(row.right === null
      ? { security: [] }
      : { description: `Needs ${row.right === "read" ? "any token" : `the right "${row.right}"`}.` }),
    parameters: [
      ...parameters("path", row.params, schemas),
      ...parameters("query", row.query, schemas),
      ...(row.stream === null
        ? []
        : [headerParameter("Last-Event-ID", "Id of the last received message, to resume after it.")]),
      ...(isMutation
        ? [headerParameter("Idempotency-Key", "A repeated request with the same key is performed only once.")]
        : []),
    ],
    ...(row.body === null
      ? {}
      : {
          requestBody: {
            required: true,
            content: { "application/json": { schema: schemaOf(row.body, "input", schemas) } },
          },
        }),
    responses: {
      [row.status]: { description: row.summary, ...describeContent(row, schemas) },
      default: { description: "Error.", content: { "application/problem+json": { schema: problem } } },
    },
  };
}

function describeContent(row: Route, schemas: Json): Json {
  const content: Json = {};
  if (row.ok !== null) content["application/json"] = { schema: schemaOf(row.ok, "output", schemas) };
  // OpenAPI 3.1 cannot describe streams. The schema describes the data of each message.
  if (row.stream !== null) content["text/event-stream"] = { schema: schemaOf(row.stream, "output", schemas) };
  return Object.keys(content).length === 0 ? {} : { content };
}

function parameters(place: "path" | "query", schema: z.ZodType, schemas: Json): Json[] {
  const { properties = {}, required = [] } = schemaOf(schema, "input", schemas) as {
    properties?: Record<string, unknown>; // the shape that z.toJSONSchema returns for an object
    required?: string[];
  };
  return Object.entries(properties).map(([name, value]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    schema: value,
  }));
}

function headerParameter(name: string, description: string): Json {
  return { name, in: "header", required: false, description, schema: { type: "string" } };
}

/** Converts a schema. Named schemas are added to `schemas` once and referenced. */
function schemaOf(schema: z.ZodType, io: "input" | "output", schemas: Json): Json {
  const {
    $schema: _,
    $defs = {},
    ...rest
  } = z.toJSONSchema(schema, { io, override: io === "output" ? allowNewFields : () => {} });
  for (const [name, definition] of Object.entries($defs)) schemas[name] ??= rebase(definition);
  return rebase(rest);
}

/** Responses may get new fields, so clients must accept unknown ones. */
function allowNewFields({ jsonSchema }: { jsonSchema: { additionalProperties?: unknown } }): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
}

function rebase(schema: object): Json {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json; // an object stays an object
}
