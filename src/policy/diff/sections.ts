import type { TextSide } from "./changed-file.ts";

/** A file split into named sections, to report which of them changed. */
export type Sections = ReadonlyMap<string, string>;

/** Names of the sections that were changed, added or removed. */
export function changedSections(before: Sections, after: Sections): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name));
}

/** Members of a JSON object. Invalid JSON is one section, so that any change counts as a change of everything. */
export function jsonSections(side: TextSide | null): Sections {
  if (side === null) return new Map();
  try {
    const value: unknown = JSON.parse(side.text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return new Map(Object.entries(value).map(([name, part]) => [name, JSON.stringify(part)]));
    }
  } catch {
    // Handled below.
  }
  return new Map([["", side.text]]);
}

/** `[name]` and its lines, as in TOML and INI files. Comments and blank lines are ignored. */
export function headedSections(side: TextSide | null): Sections {
  const sections = new Map<string, string>();
  let name = "";
  for (const line of side?.lines ?? []) {
    const bare = line.trim();
    if (bare === "" || bare.startsWith("#") || bare.startsWith(";")) continue;
    const head = /^\[\[?\s*([^\]]+?)\s*\]\]?/.exec(bare.slice(0, 200))?.[1];
    if (head !== undefined && !bare.includes("=")) name = head.replaceAll(/["']/g, "");
    else sections.set(name, `${sections.get(name) ?? ""}${bare}\n`);
  }
  return sections;
}

/** Rules of a Makefile by target. Everything outside them is under "". */
export function makeSections(side: TextSide | null): Sections {
  const sections = new Map<string, string>();
  let targets = [""];
  for (const line of side?.lines ?? []) {
    const bare = line.trim();
    if (bare === "" || bare.startsWith("#")) continue;
    const head = /^([^\s:=#][^:=#]*?)\s*::?(?!=)/.exec(line.slice(0, 500));
    if (head?.[1] !== undefined) targets = head[1].split(/\s+/).slice(0, 100);
    else if (!/^[\t ]/.test(line)) targets = [""];
    for (const target of targets) sections.set(target, `${sections.get(target) ?? ""}${line}\n`);
  }
  return sections;
}

/** The line where a section starts in the new file, from 1. Null if unknown. */
export function lineOfSection(side: TextSide | null, name: string): number | null {
  if (name === "" || side === null) return null;
  const at = side.lines.findIndex((line) => {
    const bare = line.trimStart();
    return (
      bare.startsWith(`"${name}"`) ||
      bare.startsWith(`[${name}]`) ||
      bare.startsWith(`[[${name}]]`) ||
      bare.startsWith(`${name}:`)
    );
  });
  return at < 0 ? null : at + 1;
}
