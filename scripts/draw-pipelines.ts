import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parsePipelineText } from "../src/config/pipeline/parse-pipeline-text.ts";
import { drawPipeline } from "../src/core/pipeline/draw-pipeline.ts";
import { ConfigError } from "../src/core/text/errors.ts";

// Writes the drawings of the built-in pipelines to docs/pipelines.md, or to the given file. With --check it only reports
// whether they are up to date.

const root = join(import.meta.dirname, "..");
const folder = join(root, "src/builtin/pipelines");
const page = process.argv.slice(2).find((argument) => argument !== "--check") ?? join(root, "docs/pipelines.md");
const BEGIN = "<!-- drawings: begin (made by `npm run drawings`) -->";
const END = "<!-- drawings: end -->";

const written = readFileSync(page, "utf8");
const current = withDrawings(written, readdirSync(folder).toSorted().map(drawFile).join("\n"));
if (!process.argv.includes("--check")) writeFileSync(page, current);
else if (written !== current) {
  process.stderr.write(`The drawings in ${page} are out of date. Run \`npm run drawings\`.\n`);
  process.exitCode = 1;
}

function drawFile(name: string): string {
  const text = readFileSync(join(folder, name), "utf8");
  const result = parsePipelineText({ name: name.replace(/\.yaml$/, ""), text, file: name });
  if (!result.ok) throw new ConfigError(result.issues);
  const about = /^# (.+)/.exec(text)?.[1] ?? "";
  return `### ${result.pipeline.name}\n\n${about}\n\n\`\`\`mermaid\n${drawPipeline(result.pipeline)}\`\`\`\n`;
}

function withDrawings(markdown: string, drawings: string): string {
  const [begin, end] = [markdown.indexOf(BEGIN), markdown.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${page} lacks the lines "${BEGIN}" and "${END}".`);
  return `${markdown.slice(0, begin + BEGIN.length)}\n\n${drawings}\n${markdown.slice(end)}`;
}
