import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { renderKeyTable } from "./render-key-table.ts";
import { writeSchemas } from "./write-schema.ts";

const ROOT = join(import.meta.dirname, "..");

describe("writeSchemas", () => {
  it("JSON Schemas and the table of keys are up to date", async () => {
    expect(await writeSchemas(true)).toEqual([]);
  });

  it("every key has a description for editors", async () => {
    const text = await readFile(join(ROOT, "schema/config.schema.json"), "utf8");
    const schema = JSON.parse(text) as { properties: Record<string, { description?: string }> };
    expect(Object.entries(schema.properties).filter(([, node]) => (node.description ?? "") === "")).toEqual([]);
    expect(schema.properties).toHaveProperty("database");
    expect(JSON.parse(await readFile(join(ROOT, "schema/nightshift.schema.json"), "utf8"))).not.toHaveProperty(
      "properties.database",
    );
  });
});

describe("renderKeyTable", () => {
  it("shows for each key whether a change needs a person", async () => {
    const docs = await readFile(join(ROOT, "docs/configuration.md"), "utf8");
    expect(docs).toContain(renderKeyTable());
    expect(docs).toMatch(/\| `budget\.run_usd` \| number \| .* \| to raise \|/);
    expect(docs).toMatch(/\| `sandbox\.mode` \| .* \| config\.yaml only \|/);
    expect(docs).toMatch(/\| `checks\.<name>\.command` \| text \| .* \| any change \|/);
    expect(docs).toMatch(/\| `secrets\.<name>\.roles` \| list \| .* \| new items \|/);
    expect(docs).toMatch(/\| `schedules\[\]\.cron` \| text \| .* \| new items \|/);
    expect(docs).toMatch(/\| `improve\.categories\.monday` \| list \| .* \| – \|/);
    expect(docs).toMatch(/\| `mcp\.<name>\.run` \| .*\(staged\.md#mcp-servers\)\. \| to add or change \|/);
    expect(docs).toMatch(/\| `time_zone` \| text \| .* \| – \|/);
  });
});
