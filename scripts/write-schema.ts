import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { installCommand } from "../src/adapters/agents/shared/agent-package.ts";
import { toJsonSchema } from "../src/config/schema/list-keys.ts";
import { REGISTRY } from "../src/daemon/wire/registry.ts";
import { renderAgentTable, renderChannelTable, renderTokenTable } from "./render-kind-tables.ts";
import { renderKeyTable } from "./render-key-table.ts";

const ROOT = join(import.meta.dirname, "..");

/** The tables in docs, by the name in the comments around them. */
const TABLES = [
  { file: "docs/configuration.md", name: "keys", render: renderKeyTable },
  { file: "docs/agents.md", name: "agents", render: () => renderAgentTable(REGISTRY.agents) },
  { file: "docs/forges.md", name: "tokens", render: () => renderTokenTable(REGISTRY.forges) },
  { file: "docs/notifications.md", name: "channels", render: () => renderChannelTable(REGISTRY.notifiers) },
];

/**
 * Writes the JSON Schemas, and the tables and versions in docs, from the registry and the configuration schema. With `check` it only
 * reports outdated files.
 */
export async function writeSchemas(check: boolean): Promise<string[]> {
  const { schemas } = REGISTRY.format;
  const wanted: Record<string, string> = {
    "schema/nightshift.schema.json": toFile("nightshift.yaml", schemas.project),
    "schema/config.schema.json": toFile("config.yaml", schemas.user),
  };
  for (const { file, name, render } of TABLES)
    wanted[file] = replaceTable(await readFile(join(ROOT, file), "utf8"), name, render());
  for (const file of ["README.md", "docs/agents.md"])
    wanted[file] = replaceInstallCommands(wanted[file] ?? (await readFile(join(ROOT, file), "utf8")));
  const stale: string[] = [];
  for (const [file, text] of Object.entries(wanted)) {
    if ((await readFile(join(ROOT, file), "utf8").catch(() => "")) === text) continue;
    stale.push(file);
    if (!check) await writeFile(join(ROOT, file), text);
  }
  return stale;
}

function replaceTable(docs: string, name: string, table: string): string {
  const [start, end] = [`<!-- ${name}: written by scripts/write-schema.ts -->\n`, `\n<!-- end of ${name} -->`];
  const [from, to] = [docs.indexOf(start) + start.length, docs.indexOf(end)];
  if (from < start.length || to < from) throw new Error(`The docs have no place for the table "${name}".`);
  return docs.slice(0, from) + table + docs.slice(to);
}

/** Commands in the text that install an agent CLI name the tested version. */
function replaceInstallCommands(docs: string): string {
  const packages = REGISTRY.agents.flatMap((agent) => agent.package ?? []);
  return docs.replaceAll(/npm install -g ([@\w/-]+)(?:@[\d.]+\d)?/g, (command, name) => {
    const agent = packages.find((each) => each.package === name);
    return agent === undefined ? command : installCommand(agent);
  });
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
