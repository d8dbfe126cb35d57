import { toJsonSchema, type SchemaNode } from "../src/config/schema/list-keys.ts";
import { USER_ONLY_KEYS } from "../src/config/schema/schema.ts";
import { REGISTRY } from "../src/daemon/wire/registry.ts";
import { guardOf, type Guard } from "../src/config/trust/widening.ts";

/** When a changed key in nightshift.yaml must be accepted by a person. */
const TRUST: Readonly<Record<Guard, string>> = {
  free: "–",
  amount: "to raise",
  list: "new items",
  grant: "to add or change",
  gate: "any change",
};

/** Where a section is explained. The descriptions are also part of the JSON Schemas, where a link into the docs does not work. */
const LINKS: Readonly<Record<string, string>> = { mcp: "See [MCP servers](staged.md#mcp-servers)." };

/** Renders the keys of both files as a Markdown table, with the schema's descriptions. */
export function renderKeyTable(): string {
  const rows = listRows(toJsonSchema(REGISTRY.format.schemas.user), []);
  return ["| key | type | what | trust |", "|---|---|---|---|", ...rows].join("\n");
}

function listRows(node: SchemaNode, path: readonly string[]): string[] {
  const named = Object.entries(node.properties ?? {}).map(([name, inner]) => [name, inner] as const);
  const others = typeof node.additionalProperties === "object" ? [["<name>", node.additionalProperties] as const] : [];
  return [...named, ...others].flatMap(([name, inner]) => listRowsOf(inner, [...path, name]));
}

function listRowsOf(node: SchemaNode, path: readonly string[]): string[] {
  const role = path[0] === "roles" && path.length === 2;
  // All roles have the same keys, so one group of rows is enough.
  if (role && path[1] !== "implement") return [];
  const shown = role ? ["roles", "<role>"] : path;
  const section = node.type === "array" && node.items?.properties !== undefined ? node.items : node;
  const isSection = section.properties !== undefined || typeof section.additionalProperties === "object";
  const list = section === node ? shown : [...shown.slice(0, -1), `${shown.at(-1)}[]`];
  const described = role ? "Settings for this role." : (node.description ?? "One entry.");
  const what = [described, LINKS[path[0] ?? ""] ?? []].flat().join(" ");
  const row = `| \`${shown.join(".")}\` | ${typeOf(node)} | ${what.replaceAll("|", "\\|")} | ${isSection && section === node ? "" : trustOf(path)} |`;
  return [row, ...(isSection ? listRows(section, list) : [])];
}

function typeOf(node: SchemaNode): string {
  if (node.enum !== undefined) return node.enum.map((value) => `\`${value}\``).join(", ");
  if (node.type === "array") return node.items?.properties === undefined ? "list" : "list of sections";
  if (node.type === "object") return "section";
  return node.type === "string" ? "text" : (node.type ?? "text");
}

function trustOf(path: readonly string[]): string {
  const key = path.join(".");
  if (USER_ONLY_KEYS.includes(key)) return "config.yaml only";
  return TRUST[guardOf(path.map((name) => name.replace("[]", "")))];
}
