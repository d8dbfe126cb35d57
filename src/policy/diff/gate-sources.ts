import { makeCommands, usedScripts, usedTargets } from "./check-command-targets.ts";
import { executedFiles } from "./executed-files.ts";
import { jsonSections, makeSections, type Sections } from "./sections.ts";

/** A file of the base commit. The text of a link is its target. */
export interface BaseFile {
  readonly path: string;
  readonly kind: "file" | "link";
  readonly text: string;
}

/** What the checks run, and the files that decide about them. */
export interface GateSources {
  /** The check commands, and everything that package.json and make files run for them. */
  readonly commands: readonly string[];
  /** Files that those files include or extend, and targets of links to executed files. */
  readonly files: readonly string[];
}

const BUILD_FILES = ["package.json", "GNUmakefile", "makefile", "Makefile", "tsconfig.json"];
const MAKEFILE = /(?:^|\/)(?:(?:GNUm|m|M)akefile|[^/]*\.mk)$/;
const MAX_ROUNDS = 5;
const MAX_FILES = 200;

/**
 * Follows the check commands through the files of the base commit, because a change can weaken a check without touching the
 * file that names it. `read` returns those of the paths that exist.
 */
export async function findGateSources(
  commands: readonly string[],
  read: (paths: readonly string[]) => Promise<readonly BaseFile[]>,
): Promise<GateSources> {
  const known: BaseFile[] = [];
  const asked = new Set<string>();
  let all = commands;
  let wanted: readonly string[] = BUILD_FILES;
  for (let round = 0; round < MAX_ROUNDS && wanted.length > 0; round += 1) {
    for (const path of wanted) asked.add(path);
    known.push(...(await read(wanted)));
    all = expandCommands(commands, known);
    const named = [...executedFiles(all), ...known.flatMap(referencesOf)];
    wanted = [...new Set(named)].filter((path) => isReadable(path) && !asked.has(path)).slice(0, MAX_FILES);
  }
  // The targets of make files are compared one by one.
  const files = new Set(known.flatMap(referencesOf).filter((path) => isReadable(path) && !MAKEFILE.test(path)));
  return { commands: all, files: [...files] };
}

/** Scripts and targets can start each other. */
function expandCommands(commands: readonly string[], files: readonly BaseFile[]): readonly string[] {
  const scripts = scriptsOf(files.find(({ path }) => path === "package.json"));
  const rules = rulesOf(files.filter(({ path }) => MAKEFILE.test(path)));
  let all = commands;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const started = [...usedScripts(all, scripts)].flatMap((name) => scripts.get(name) ?? []);
    const built = [...usedTargets(all, rules)].flatMap((name) => makeCommands(rules.get(name) ?? ""));
    const more = [...new Set([...commands, ...started, ...built])];
    if (more.length === all.length) break;
    all = more;
  }
  return all;
}

function scriptsOf(file: BaseFile | undefined): Sections {
  const text = file === undefined ? undefined : jsonSections(toSide(file)).get("scripts");
  const scripts: unknown = text === undefined ? {} : JSON.parse(text);
  if (typeof scripts !== "object" || scripts === null) return new Map();
  return new Map(Object.entries(scripts).map(([name, script]) => [name, String(script)]));
}

function rulesOf(files: readonly BaseFile[]): Sections {
  const rules = new Map<string, string>();
  for (const file of files)
    for (const [target, rule] of makeSections(toSide(file))) rules.set(target, `${rules.get(target) ?? ""}${rule}`);
  return rules;
}

function toSide({ text }: BaseFile) {
  return { text, lines: text.split("\n"), binary: false };
}

/** Paths that a file includes, extends or links to. */
function referencesOf({ path, kind, text }: BaseFile): readonly string[] {
  const folder = path.split("/").slice(0, -1);
  if (kind === "link") return resolvePath(folder, text);
  if (MAKEFILE.test(path))
    return [...text.matchAll(/^(?:-|s)?include[ \t]+(.+)$/gm)].flatMap(([, names = ""]) =>
      names.split(/\s+/).flatMap((name) => resolvePath([], name)),
    );
  if (!path.endsWith(".json")) return [];
  const extended = /"extends"\s*:\s*(\[[^\]]{0,1000}\]|"[^"]{0,500}")/.exec(text)?.[1] ?? "";
  return [...extended.matchAll(/"(\.[^"]*)"/g)].flatMap(([, name = ""]) =>
    resolvePath(folder, name.endsWith(".json") ? name : `${name}.json`),
  );
}

/** Empty if the path leaves the repository. */
function resolvePath(folder: readonly string[], target: string): readonly string[] {
  const place = [...folder];
  for (const part of target.split("/")) {
    if (part === ".." && place.pop() === undefined) return [];
    if (part !== ".." && part !== "." && part !== "") place.push(part);
  }
  return target.startsWith("/") || place.length === 0 ? [] : [place.join("/")];
}

/** Words of commands are only guesses, so most of them are not files. */
function isReadable(path: string): boolean {
  return /^[\w.@][\w@.+/ -]{0,500}$/.test(path) && !path.endsWith("/") && !path.split("/").includes("..");
}
