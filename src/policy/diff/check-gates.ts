import { firstLine, nameOf, type ChangedFile } from "./changed-file.ts";
import { usedScripts, usedTargets } from "./check-command-targets.ts";
import { executedFiles, isExecuted } from "./executed-files.ts";
import { severityOf, type DiffRules, type Finding } from "./finding.ts";
import { GATE_PARTS, gateKind, type GateKind } from "./gate-files.ts";
import {
  changedSections,
  headedSections,
  jsonSections,
  lineOfSection,
  makeSections,
  type Sections,
} from "./sections.ts";

/** Reports changes of files that define the checks, because an agent must not change unnoticed what checks it. */
export function checkGates(files: readonly ChangedFile[], rules: DiffRules): Finding[] {
  const executed = new Set([...executedFiles(allCommands(files, rules.checkCommands)), ...rules.gateFiles]);
  return files.flatMap((file): Finding[] => {
    const parts = changedParts(file, rules.checkCommands);
    const kind = gateKind(file.path) ?? (isExecuted(file.path, executed) ? "script" : null);
    const [first] = parts;
    if (kind === null && first === undefined) return [];
    const strict = (kind === "ci" || kind === "own") && rules.ciAndOwnConfig === "refuse" ? "refuse" : rules.gates;
    const what = kind === null ? `${showParts(parts)} in this file` : KINDS[kind];
    const message = `${what} defines what is checked and was changed. Undo the change unless the task asks for it.`;
    const line = lineOfSection(file.after, first ?? "") ?? firstLine(file);
    return [{ rule: "gates_changed", severity: severityOf(strict), path: file.path, line, message }];
  });
}

const KINDS: Readonly<Record<GateKind, string>> = {
  ci: "This CI definition",
  own: "This Nightshift configuration file",
  hook: "This hook",
  runner: "This configuration",
  script: "This script",
};

function showParts(parts: readonly string[]): string {
  return parts
    .filter(Boolean)
    .slice(0, 3)
    .map((part) => `"${part}"`)
    .join(", ");
}

function changedParts(file: ChangedFile, commands: readonly string[]): string[] {
  const name = nameOf(file.path);
  if (/^(GNUm|m|M)akefile$|\.mk$/.test(name)) return changedTargets(file, commands);
  const known = GATE_PARTS.find((parts) => parts.file.test(name));
  if (!known) return [];
  const cut = known.kind === "json" ? jsonSections : headedSections;
  const changed = changedSections(cut(file.before), cut(file.after)).filter((part) => known.part.test(part));
  return name === "package.json" ? [...changed, ...changedScripts(file, commands)] : changed;
}

/** Names that indicate a check, for projects whose commands call them in a way we cannot follow. */
const CHECK_NAMES =
  /test|check|lint|verify|coverage|typecheck|^types?$|^ci$|^(pre|post)?(install|pack|publish|prepare)$|^build$|^all$/i;

function changedScripts(file: ChangedFile, commands: readonly string[]): string[] {
  const [before, after] = [scriptsOf(file, "before"), scriptsOf(file, "after")];
  const used = new Set([...usedScripts(commands, before), ...usedScripts(commands, after)]);
  const changed = changedSections(before, after);
  return changed.filter((script) => used.has(script) || CHECK_NAMES.test(script));
}

function scriptsOf(file: ChangedFile, side: "before" | "after"): Sections {
  const text = jsonSections(file[side]).get("scripts");
  const scripts: unknown = text === undefined ? {} : JSON.parse(text);
  if (typeof scripts !== "object" || scripts === null) return new Map();
  return new Map(Object.entries(scripts).map(([name, script]) => [name, String(script)]));
}

function changedTargets(file: ChangedFile, commands: readonly string[]): string[] {
  const [before, after] = [makeSections(file.before), makeSections(file.after)];
  const used = new Set([...usedTargets(commands, before), ...usedTargets(commands, after)]);
  const changed = changedSections(before, after);
  const judged = changed.filter((target) => used.has(target) || CHECK_NAMES.test(target));
  // Variables can change any target.
  return changed.includes("") && [...before.keys()].some((target) => used.has(target) || CHECK_NAMES.test(target))
    ? [...judged, "the part outside all targets"]
    : judged;
}

/** The check commands and everything that a changed package.json or Makefile ran for them. */
function allCommands(files: readonly ChangedFile[], commands: readonly string[]): string[] {
  const more = files.flatMap((file) => {
    const name = nameOf(file.path);
    if (name === "package.json") {
      const scripts = scriptsOf(file, "before");
      return [...usedScripts(commands, scripts)].map((script) => scripts.get(script) ?? "");
    }
    if (!/^(GNUm|m|M)akefile$/.test(name)) return [];
    const rules = makeSections(file.before);
    return [...usedTargets(commands, rules)].map((target) => rules.get(target) ?? "");
  });
  return [...commands, ...more];
}
