import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { LoopbackRequest } from "./loopback-forge.ts";

type Json = Readonly<Record<string, unknown>>;

interface Operation {
  readonly template: string;
  readonly queryNames: ReadonlySet<string>;
  readonly bodySchema: unknown;
}

let document: Promise<Json> | undefined;

/** GitHub's published API description. It is large, so it is read once. */
export function githubDescription(): Promise<Json> {
  const path = fileURLToPath(import.meta.resolve("@octokit/openapi/generated/api.github.com.json"));
  return (document ??= readFile(path, "utf8").then((text) => JSON.parse(text) as Json));
}

/** Returns one message per request that is unknown or not allowed. */
export async function checkAgainstGithub(requests: readonly LoopbackRequest[]): Promise<string[]> {
  const root = await githubDescription();
  return requests.filter(({ kind }) => kind === "api").flatMap((request) => checkOne(root, request));
}

/** The example of a successful response in GitHub's description. */
export async function exampleResponse(method: string, template: string): Promise<unknown> {
  const root = await githubDescription();
  const responses = getPath(root, "paths", template, method.toLowerCase(), "responses");
  const content = getPath(responses, "200", "content") ?? getPath(responses, "201", "content");
  const [example] = Object.values(asMap(getPath(content, "application/json", "examples")));
  return getPath(resolve(root, example), "value");
}

function checkOne(root: Json, request: LoopbackRequest): string[] {
  const name = `${request.method} ${request.path}`;
  const operation = findOperation(root, request);
  if (operation === null) return [`${name}: no such operation`];
  const unknown = Object.keys(request.query).filter((key) => !operation.queryNames.has(key));
  const inQuery = unknown.map((key) => `${name}: no query parameter "${key}" in ${operation.template}`);
  const hasBody = Object.keys(request.body).length > 0;
  if (operation.bodySchema === undefined) return hasBody ? [...inQuery, `${name}: takes no body`] : inQuery;
  return [
    ...inQuery,
    ...checkValue(root, operation.bodySchema, request.body).map((problem) => `${name}: body${problem}`),
  ];
}

function findOperation(root: Json, { method, path }: LoopbackRequest): Operation | null {
  // Fewest placeholders first, because GitHub prefers the most literal path.
  const templates = Object.keys(asMap(root["paths"]))
    .filter(
      (template) =>
        toPattern(template).test(path) && getPath(root, "paths", template, method.toLowerCase()) !== undefined,
    )
    .toSorted((a, b) => a.split("{").length - b.split("{").length);
  const [template] = templates;
  if (template === undefined) return null;
  const operation = asMap(getPath(root, "paths", template, method.toLowerCase()));
  const parameters = asList(operation["parameters"]).map((each) => asMap(resolve(root, each)));
  const names = parameters.filter((each) => each["in"] === "query").map((each) => String(each["name"]));
  const bodySchema = getPath(operation, "requestBody", "content", "application/json", "schema");
  return { template, queryNames: new Set(names), bodySchema };
}

function toPattern(template: string): RegExp {
  const escaped = template.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replaceAll(/\{[^}]+\}/g, "[^/]+")}$`);
}

/** Supports the parts of JSON Schema that GitHub's description of our operations uses. Unlisted names are reported, too. */
function checkValue(root: Json, schemaOrRef: unknown, value: unknown): string[] {
  const schema = asMap(resolve(root, schemaOrRef));
  const choices = asList(schema["oneOf"] ?? schema["anyOf"]);
  if (choices.length > 0) {
    const results = choices.map((choice) => checkValue(root, choice, value));
    return results.some((problems) => problems.length === 0) ? [] : (results[0] ?? []);
  }
  if (value === null) return schema["nullable"] === true ? [] : [" is null"];
  const allowed = asList(schema["enum"]);
  if (allowed.length > 0 && !allowed.includes(value))
    return [` is ${JSON.stringify(value)}, not one of ${JSON.stringify(allowed)}`];
  switch (schema["type"]) {
    case "object":
      return checkObject(root, schema, value);
    case "array":
      if (!Array.isArray(value)) return [" is not a list"];
      return value.flatMap((item, index) =>
        checkValue(root, schema["items"], item).map((problem) => `[${index}]${problem}`),
      );
    case "string":
      if (typeof value !== "string") return [" is not a string"];
      return typeof schema["maxLength"] === "number" && value.length > schema["maxLength"] ? [" is too long"] : [];
    case "integer":
      return Number.isInteger(value) ? [] : [" is not an integer"];
    case "boolean":
      return typeof value === "boolean" ? [] : [" is not a boolean"];
    default:
      return [];
  }
}

function checkObject(root: Json, schema: Json, value: unknown): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [" is not an object"];
  const properties = asMap(schema["properties"]);
  const missing = asList(schema["required"]).filter((name) => !Object.hasOwn(value, String(name)));
  return [
    ...missing.map((name) => ` lacks "${String(name)}"`),
    ...Object.entries(value).flatMap(([name, part]) =>
      name in properties
        ? checkValue(root, properties[name], part).map((problem) => `.${name}${problem}`)
        : [` has no "${name}"`],
    ),
  ];
}

function resolve(root: Json, value: unknown): unknown {
  const reference = asMap(value)["$ref"];
  if (typeof reference !== "string") return value;
  return resolve(root, getPath(root, ...reference.replace(/^#\//, "").split("/")));
}

function getPath(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((node, key) => asMap(node)[key], value);
}

function asMap(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
