import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { pathExists } from "../../config/files/paths.ts";
import { readText } from "../../config/files/read-text.ts";
import { findRelatedTests } from "./related-tests.ts";
import { SIMPLE_TOOLS, type CheckName, type Checks, type OptionalCheck, type SimpleTool } from "./simple-tools.ts";

/** Setup, checks and programs of a project, detected from its files. */
export interface Tools {
  readonly language: string | null;
  readonly setup: string | null;
  /** By name. With several tools, those of the later ones have the language in their name, such as `test-go`. */
  readonly checks: Readonly<Record<string, string>>;
  /** Commands for the changed files only, by the name of the check. */
  readonly related: Readonly<Record<string, string>>;
  /** Builds in this language can exceed the default timeout of a check. */
  readonly slow: boolean;
  readonly commands: readonly string[];
}

interface DetectedTool extends Omit<Tools, "language" | "checks" | "related"> {
  readonly language: string;
  readonly checks: Checks;
  readonly related?: Checks;
}

interface Folder {
  /** Names of the files in it. */
  readonly names: readonly string[];
  /** Null if it is missing, too large or not text. */
  read(name: string): Promise<string | null>;
  has(name: string): Promise<boolean>;
}

/** Detects every tool of the project; a Makefile adds missing checks. Only reads files and starts no program. */
export async function detectTools(dir: string): Promise<Tools> {
  const folder: Folder = {
    names: await readdir(dir).catch(() => []),
    // Treat unreadable files as missing.
    read: (name) => readText(join(dir, name), dir).catch(() => null),
    has: (name) => pathExists(join(dir, name)),
  };
  const detectors = [detectNode, ...SIMPLE_TOOLS.map(detectorOf), detectJvm, detectPython];
  const found = (await Promise.all(detectors.map((detect) => detect(folder)))).filter((each) => each !== null);
  const tools = combine(found);
  const makeChecks = await detectMake(folder);
  const added = Object.keys(makeChecks).some((name) => !(name in tools.checks));
  return added
    ? { ...tools, checks: { ...makeChecks, ...tools.checks }, commands: [...tools.commands, "make"] }
    : tools;
}

/** If a tool has checks, those without any are left out: often they only format files or build a website. */
function combine(found: readonly DetectedTool[]): Tools {
  const checked = found.filter(({ checks }) => Object.keys(checks).length > 0);
  const used = checked.length > 0 ? checked : found.slice(0, 1);
  const checks: Record<string, string> = {};
  const related: Record<string, string> = {};
  for (const { language, checks: own, related: ownRelated = {} } of used)
    for (const [name, command] of Object.entries(own)) {
      const unique = name in checks ? `${name}-${language.toLowerCase().replaceAll(/[^a-z]/g, "")}` : name;
      checks[unique] = command;
      const forFiles = (ownRelated as Readonly<Record<string, string>>)[name];
      if (forFiles !== undefined) related[unique] = forFiles;
    }
  const setups = used.flatMap(({ setup }) => setup ?? []);
  return {
    language: used.length === 0 ? null : used.map(({ language }) => language).join(", "),
    setup: setups.length === 0 ? null : setups.join(" && "),
    checks,
    related,
    slow: used.some(({ slow }) => slow),
    commands: [...new Set(["git", ...used.flatMap(({ commands }) => commands)])],
  };
}

function detectorOf({ file, optional = [], slow = false, ...tool }: SimpleTool) {
  return async (folder: Folder): Promise<DetectedTool | null> => {
    if (!folder.names.some((name) => file.test(name))) return null;
    const checks = { ...tool.checks };
    for (const each of optional) if (await hasText(folder, each)) checks[each.check] = each.command;
    return { ...tool, checks, slow };
  };
}

async function hasText(folder: Folder, { file, text }: OptionalCheck): Promise<boolean> {
  for (const name of folder.names.filter((each) => file.test(each)))
    if (text === undefined || text.test((await folder.read(name)) ?? "")) return true;
  return false;
}

const TYPECHECK_SCRIPTS = ["typecheck", "type-check", "check-types", "tsc"];

async function detectNode(folder: Folder): Promise<DetectedTool | null> {
  const scripts = readScripts(await folder.read("package.json"));
  if (scripts === null) return null;
  const { manager, setup } = await findManager(folder);
  const checks: Partial<Record<CheckName, string>> = {};
  if ("build" in scripts) checks.build = `${manager} run build`;
  if ("lint" in scripts) checks.lint = `${manager} run lint`;
  const typecheck = TYPECHECK_SCRIPTS.find((name) => name in scripts);
  if (typecheck !== undefined) checks.typecheck = `${manager} run ${typecheck}`;
  // Ignore the placeholder that `npm init` writes.
  if (scripts["test"]?.includes("no test specified") === false) checks.test = `${manager} run test`;
  const test = checks.test === undefined ? null : findRelatedTests(manager, scripts["test"] ?? "");
  const related = test === null ? {} : { test };
  return { language: "JavaScript", setup, checks, related, slow: false, commands: ["node", manager] };
}

function readScripts(text: string | null): Record<string, string> | null {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    const scripts = typeof value === "object" && value !== null && "scripts" in value ? value.scripts : {};
    const entries = Object.entries(typeof scripts === "object" && scripts !== null ? scripts : {});
    return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
  } catch {
    return {};
  }
}

async function findManager(folder: Folder): Promise<{ manager: string; setup: string }> {
  if (await folder.has("pnpm-lock.yaml")) return { manager: "pnpm", setup: "pnpm install --frozen-lockfile" };
  if (await folder.has("yarn.lock")) {
    const modern = await folder.has(".yarnrc.yml");
    const setup = `yarn install ${modern ? "--immutable" : "--frozen-lockfile"}`;
    return { manager: "yarn", setup };
  }
  if ((await folder.has("bun.lock")) || (await folder.has("bun.lockb")))
    return { manager: "bun", setup: "bun install --frozen-lockfile" };
  return { manager: "npm", setup: (await folder.has("package-lock.json")) ? "npm ci" : "npm install" };
}

async function detectJvm(folder: Folder): Promise<DetectedTool | null> {
  if (await folder.has("build.sbt")) {
    return jvm({ program: "sbt", language: "Scala", build: "compile", test: "test" });
  }
  if (await folder.has("pom.xml")) {
    const program = (await folder.has("mvnw")) ? "./mvnw" : "mvn";
    const [build, test] = ["--batch-mode --quiet compile", "--batch-mode --quiet test"];
    return jvm({ program, language: "Java", build, test });
  }
  if (!(await folder.has("build.gradle")) && !(await folder.has("build.gradle.kts"))) return null;
  const program = (await folder.has("gradlew")) ? "./gradlew" : "gradle";
  return jvm({ program, language: "Java", build: "assemble", test: "test" });
}

interface JvmTool {
  readonly program: string;
  readonly language: string;
  readonly build: string;
  readonly test: string;
}

function jvm({ program, language, build, test }: JvmTool): DetectedTool {
  return {
    language,
    setup: null,
    checks: { build: `${program} ${build}`, test: `${program} ${test}` },
    slow: true,
    commands: ["java", ...(program.startsWith("./") ? [] : [program])],
  };
}

async function detectPython(folder: Folder): Promise<DetectedTool | null> {
  const project = await folder.read("pyproject.toml");
  const requirements = await folder.read("requirements.txt");
  const tox = await folder.read("tox.ini");
  if (project === null && requirements === null && tox === null && !(await folder.has("setup.py"))) return null;
  const { prefix, setup, commands } = await findPythonRunner(folder, requirements);
  const files = [project, requirements, tox, await folder.read("requirements-dev.txt")].join("\n");
  const checks: Partial<Record<CheckName, string>> = {};
  if (files.includes("ruff") || (await folder.has("ruff.toml"))) checks.lint = `${prefix}ruff check .`;
  if (files.includes("mypy")) checks.typecheck = `${prefix}mypy .`;
  if (files.includes("pytest") || (await folder.has("pytest.ini"))) checks.test = `${prefix}pytest`;
  else if (tox !== null) checks.test = `${prefix}tox`;
  return { language: "Python", setup, checks, slow: false, commands };
}

async function findPythonRunner(
  folder: Folder,
  requirements: string | null,
): Promise<{ prefix: string; setup: string | null; commands: string[] }> {
  if (await folder.has("uv.lock")) return { prefix: "uv run ", setup: "uv sync", commands: ["python3", "uv"] };
  if (await folder.has("poetry.lock"))
    return { prefix: "poetry run ", setup: "poetry install", commands: ["python3", "poetry"] };
  if (requirements === null) return { prefix: "python3 -m ", setup: null, commands: ["python3"] };
  const setup = "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt";
  return { prefix: ".venv/bin/python -m ", setup, commands: ["python3"] };
}

async function detectMake(folder: Folder): Promise<Partial<Record<CheckName, string>>> {
  const text = await folder.read("Makefile");
  const checks: Partial<Record<CheckName, string>> = {};
  for (const name of ["build", "lint", "typecheck", "test"] as const) {
    if (text !== null && new RegExp(`^${name}[ \\t]*:(?!=)`, "m").test(text)) checks[name] = `make ${name}`;
  }
  return checks;
}
