import { AnsiUp } from "ansi_up";
import { useMemo } from "react";
import { HIDDEN } from "../../../src/core/text/terminal-text.ts";

/** Colours, bold, faint and underline. Everything else that a program sends to a terminal is removed. */
// oxlint-disable-next-line no-control-regex -- matches escape sequences
const STYLE = /(\u001b\[[\d;]{0,40}m)/;

const CLASSES: Readonly<Record<string, string>> = {
  red: "a-r",
  green: "a-g",
  yellow: "a-y",
  blue: "a-b",
  magenta: "a-m",
  cyan: "a-c",
  "bright-black": "a-d",
  "bright-red": "a-r",
  "bright-green": "a-g",
  "bright-yellow": "a-y",
  "bright-blue": "a-b",
  "bright-magenta": "a-m",
  "bright-cyan": "a-c",
};

/** The output of a program as HTML, one element for each line. Contains no element but `span`, and no attribute but `class`. */
export function renderAnsi(text: string): readonly string[] {
  const writer = new AnsiUp();
  writer.use_classes = true;
  writer.url_allowlist = {};
  writer.boldStyle = "a-B";
  writer.faintStyle = "a-d";
  writer.italicStyle = "";
  writer.underlineStyle = "";
  return keepStyles(text)
    .split("\n")
    .map((line) => writer.ansi_to_html(line).replaceAll(/<span([^>]*)>/g, (_, attributes: string) => span(attributes)));
}

function keepStyles(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?/g, "\n")
    .split(STYLE)
    .map((part, index) => (index % 2 === 1 ? part : HIDDEN.reduce((left, pattern) => left.replace(pattern, ""), part)))
    .join("");
}

/** The page's policy forbids inline styles, and only colours of the theme are readable on its backgrounds. */
function span(attributes: string): string {
  const names = attributes.match(/[\w-]+/g) ?? [];
  const classes = names.flatMap((name) => {
    if (name === "a-B" || name === "a-d") return [name];
    const color = /^ansi-(.+)-fg$/.exec(name)?.[1];
    return color === undefined || !Object.hasOwn(CLASSES, color) ? [] : [CLASSES[color] ?? ""];
  });
  return classes.length === 0 ? "<span>" : `<span class="${[...new Set(classes)].join(" ")}">`;
}

/** Text that a program printed, with its colours. */
export function Ansi({ text }: { text: string }) {
  const html = useMemo(() => renderAnsi(text).join("\n"), [text]);
  return <span dangerouslySetInnerHTML={{ __html: html }} />;
}
