import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parsePipelineText } from "../src/config/pipeline/parse-pipeline-text.ts";
import { drawPipeline } from "./draw-pipeline.ts";
import { ConfigError } from "../src/core/text/errors.ts";
import { outcomeTable } from "./outcome-table.ts";

// Writes the table of outcomes and the drawings of the built-in pipelines to docs/pipelines.md, or to the given file. With
// --check it only reports whether they are up to date.

const root = join(import.meta.dirname, "..");
const folder = join(root, "src/builtin/pipelines");
const page = process.argv.slice(2).find((argument) => argument !== "--check") ?? join(root, "docs/pipelines.md");

const written = readFileSync(page, "utf8");
const drawings = readdirSync(folder).toSorted().map(drawFile).join("\n");
const current = withPart(withPart(written, "outcomes", outcomeTable()), "drawings", drawings);
if (!process.argv.includes("--check")) writeFileSync(page, current);
else if (written !== current) {
  process.stderr.write(`The outcomes or drawings in ${page} are out of date. Run \`npm run drawings\`.\n`);
  process.exitCode = 1;
}

function drawFile(name: string): string {
  const text = readFileSync(join(folder, name), "utf8");
  const result = parsePipelineText({ name: name.replace(/\.yaml$/, ""), text, file: name });
  if (!result.ok) throw new ConfigError(result.issues);
  const about = /^# (.+)/.exec(text)?.[1] ?? "";
  return `### ${result.pipeline.name}\n\n${about}\n\n\`\`\`mermaid\n${drawPipeline(result.pipeline)}\`\`\`\n`;
}

function withPart(markdown: string, name: string, text: string): string {
  const first = `<!-- ${name}: begin (made by \`npm run drawings\`) -->`;
  const last = `<!-- ${name}: end -->`;
  const [begin, end] = [markdown.indexOf(first), markdown.indexOf(last)];
  if (begin < 0 || end < begin) throw new Error(`${page} lacks the lines "${first}" and "${last}".`);
  return `${markdown.slice(0, begin + first.length)}\n\n${text}\n${markdown.slice(end)}`;
}
