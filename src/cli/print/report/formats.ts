import { escapeMarkup } from "../../../core/text/escape-markup.ts";
import { indentText } from "../terminal/fit-text.ts";
import { paint, type Screen, type Style } from "../terminal/style.ts";
import type { Outline, OutlineItem } from "./outline.ts";

const STYLES: Readonly<Record<Outline["verdict"]["level"], Style>> = {
  quiet: "green",
  good: "green",
  attention: "yellow",
  running: "cyan",
  bad: "red",
};

export function reportText(screen: Screen, { title, verdict, sections }: Outline): string {
  const blocks = [
    [
      paint(screen, "gray", title),
      indentText(screen, `${paint(screen, STYLES[verdict.level], verdict.fact)} ${verdict.consequence}`, ""),
    ],
    ...sections.map(({ name, items }) => [
      paint(screen, "bold", name),
      ...items.flatMap(({ text, facts, next }) => [
        indentText(screen, text, "  ", "    "),
        ...facts.map((fact) => indentText(screen, paint(screen, "gray", fact), "    ")),
        ...next.map((step) => `    → ${step}`),
      ]),
    ]),
  ];
  return `${blocks.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

export function reportMarkdown({ title, verdict, sections }: Outline): string {
  const head = [
    `# ${escapeMarkdown(title)}`,
    `**${escapeMarkdown(verdict.fact)}** ${escapeMarkdown(verdict.consequence)}`,
  ];
  const blocks = sections.map(({ name, items }) =>
    [`## ${escapeMarkdown(name)}\n`, ...items.map((item) => markdownItem(item))].join("\n"),
  );
  return `${[...head, ...blocks].join("\n\n")}\n`;
}

function markdownItem({ text, facts, next }: OutlineItem): string {
  const steps = next.map((step) => (isAddress(step) ? `<${step}>` : `\`${step.replaceAll("`", "'")}\``));
  return [
    `- ${escapeMarkdown(text)}`,
    ...facts.map((fact) => `  - ${escapeMarkdown(fact)}`),
    ...steps.map((each) => `  - ${each}`),
  ].join("\n");
}

/** A page of its own, without scripts and without anything from elsewhere. */
export function reportHtml({ title, verdict, sections }: Outline): string {
  const blocks = sections.map(
    ({ name, items }) => `<h2>${escapeMarkup(name)}</h2>\n<ul>\n${items.map(htmlItem).join("\n")}\n</ul>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeMarkup(title)}</title>
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.1rem; font-weight: 500; }
h2 { font-size: 1rem; margin-top: 2rem; }
ul { list-style: none; padding: 0; }
li { margin: 0.75rem 0; overflow-wrap: anywhere; }
small { display: block; }
</style>
</head>
<body>
<h1>${escapeMarkup(title)}</h1>
<p><strong>${escapeMarkup(verdict.fact)}</strong> ${escapeMarkup(verdict.consequence)}</p>
${blocks.join("\n")}
</body>
</html>
`;
}

function htmlItem({ text, facts, next }: OutlineItem): string {
  const steps = next.map((step) => {
    const shown = escapeMarkup(step);
    return isAddress(step) ? `<a href="${shown}">${shown}</a>` : `<code>${shown}</code>`;
  });
  const lines = [...facts.map(escapeMarkup), ...steps].map((each) => `<small>${each}</small>`);
  return `<li>${escapeMarkup(text)}${lines.join("")}</li>`;
}

/** An address of the forge. Others, such as `javascript:`, stay text. */
function isAddress(step: string): boolean {
  return /^https?:\/\/[^\s<>"]+$/.test(step);
}

function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>#|~&!]/g, "\\$&");
}
