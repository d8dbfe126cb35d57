import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { toJsonSchema } from "../src/config/schema/list-keys.ts";
import { projectSchema, userSchema } from "../src/config/schema/schema.ts";
import { renderKeyTable } from "./render-key-table.ts";

const ROOT = join(import.meta.dirname, "..");
const DOCS = "docs/configuration.md";
const TABLE = /(?<=<!-- keys: written by scripts\/write-schema\.ts -->\n).*(?=\n<!-- end of keys -->)/s;

/** Writes the JSON Schemas and the table of keys from the configuration schema. With `check` it only reports outdated files. */
export async function writeSchemas(check: boolean): Promise<string[]> {
  const docs = await readFile(join(ROOT, DOCS), "utf8");
  const wanted = {
    "schema/nightshift.schema.json": toFile("nightshift.yaml", projectSchema),
    "schema/config.schema.json": toFile("config.yaml", userSchema),
    [DOCS]: docs.replace(TABLE, () => renderKeyTable()),
  };
  const stale: string[] = [];
  for (const [file, text] of Object.entries(wanted)) {
    if ((await readFile(join(ROOT, file), "utf8").catch(() => "")) === text) continue;
    stale.push(file);
    if (!check) await writeFile(join(ROOT, file), text);
  }
  return stale;
}

function toFile(title: string, schema: Parameters<typeof toJsonSchema>[0]): string {
  return `${JSON.stringify({ title, ...toJsonSchema(schema) }, null, 2)}\n`;
}

if (import.meta.main) {
  const check = process.argv.includes("--check");
  const stale = await writeSchemas(check);
  for (const file of stale)
    console.log(check ? `${file} is out of date: run scripts/write-schema.ts` : `${file} written`);
  process.exitCode = check && stale.length > 0 ? 1 : 0;
}
