import { firstLine, type ChangedFile, type TextSide } from "./changed-file.ts";
import { findDependencySection } from "../../core/change/dependency-files.ts";
import { severityOf, type DiffRules, type Finding } from "./finding.ts";
import { changedSections, headedSections, jsonSections, lineOfSection, type Sections } from "./sections.ts";

export function checkDependencies(files: readonly ChangedFile[], rules: DiffRules): Finding[] {
  return files.flatMap((file): Finding[] => {
    const place = findDependencySection(file.path);
    if (place === null) return [];
    const cut = CUTS[place.kind];
    const changed = changedSections(cut(file.before), cut(file.after)).filter((name) => place.part.test(name));
    const [first] = changed;
    if (first === undefined && place.kind !== "whole") return [];
    const parts = changed.filter(Boolean).map((name) => `"${name}"`);
    const where = parts.length === 0 ? "This file" : `${parts.slice(0, 3).join(", ")} in this file`;
    const message = `${where} defines the project's dependencies and was changed. Undo the change: dependencies may not be added, updated or removed.`;
    const line = lineOfSection(file.after, first ?? "") ?? firstLine(file);
    return [{ rule: "dependency_file", severity: severityOf(rules.dependencyFiles), path: file.path, line, message }];
  });
}

const CUTS: Readonly<Record<"whole" | "json" | "headed" | "image", (side: TextSide | null) => Sections>> = {
  whole: () => new Map(),
  json: jsonSections,
  headed: headedSections,
  image: (side) => new Map([["", (side?.lines ?? []).filter((line) => /^\s*FROM\s/i.test(line)).join("\n")]]),
};
