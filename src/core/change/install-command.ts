import { findDependencySection } from "./dependency-files.ts";

/** Commands that only install what the dependency files list, by program. Options may follow; other words may not. */
const INSTALLS: ReadonlyMap<string, readonly string[]> = new Map([
  ["npm", ["ci", "clean-install", "install", "i"]],
  ["pnpm", ["install", "i"]],
  ["yarn", ["", "install"]],
  ["bun", ["install", "i"]],
  ["uv", ["sync"]],
  ["bundle", ["install"]],
  ["cargo", ["fetch"]],
  ["go", ["mod download"]],
  ["composer", ["install"]],
  ["mix", ["deps.get"]],
]);
/** The commands that `nightshift init` writes for a project with a requirements.txt. */
const VENV = /^python3? -m venv (\S+)$/;
const PIP_INSTALL = /^\S+\/bin\/(?:pip3?|python3? -m pip) install -r \S+$/;

const PLAIN_WORDS = /^[\w./:=@, -]+$/;
/** These copy or build the project's own sources, or install somewhere else. */
const OTHER_EFFECT = /^(-g|--global|--no-editable|--location=global|--root=.*)$/;

/**
 * Whether a set-up command only installs dependencies, so that the same dependency files give the same result. Other commands
 * may start services or use the ports of their workspace, so they have to run every time.
 */
export function isInstallCommand(command: string): boolean {
  if (!PLAIN_WORDS.test(command.replaceAll("&&", ""))) return false;
  const parts = command.split("&&").map((part) => part.trim().replaceAll(/ +/g, " "));
  return parts.every(isInstall) && parts.some((part) => !VENV.test(part));
}

function isInstall(part: string): boolean {
  if (VENV.test(part) || PIP_INSTALL.test(part)) return true;
  const [program = "", ...rest] = part.split(" ");
  const options = rest.filter((word) => word.startsWith("-"));
  const words = rest.filter((word) => !word.startsWith("-"));
  return INSTALLS.get(program)?.includes(words.join(" ")) === true && !options.some((word) => OTHER_EFFECT.test(word));
}

const TOOL_VERSIONS =
  /(^|\/)(\.nvmrc|\.node-version|\.python-version|\.ruby-version|rust-toolchain(\.toml)?|\.tool-versions|\.?mise\.toml|uv\.toml)$/;
const PROJECT_FILES = /(^|\/)(package\.json|composer\.json|deno\.jsonc?|pyproject\.toml|Cargo\.toml|setup\.cfg)$/;
const PACKAGE_FOLDERS = /(^|\/)(\.yarn|\.bundle|\.cargo|patches|vendor\/cache)\//;

/** Whether a file of the repository can change what an install command does. */
export function affectsInstall(path: string): boolean {
  if ([TOOL_VERSIONS, PROJECT_FILES, PACKAGE_FOLDERS].some((known) => known.test(path))) return true;
  return findDependencySection(path)?.kind === "whole";
}

const NPM_SCRIPTS = ["preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"];
const LOCAL_REQUIREMENT = /^\s*(-e\b|--editable\b|\.|file:|[^#\n]*@\s*file:)/m;

/** Whether installing also runs or builds files of the repository itself. Then its result depends on all of them. */
export function installsOwnSources(path: string, text: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (name === "package.json") return hasScript(text, (script) => NPM_SCRIPTS.includes(script));
  if (name === "composer.json") return hasScript(text, () => true);
  if (name === "pyproject.toml") return /^\s*\[\s*build-system\s*\]/m.test(text);
  if (/^requirements.*\.(txt|in)$/.test(name)) return LOCAL_REQUIREMENT.test(text);
  return name === "setup.py" || name === "setup.cfg";
}

function hasScript(text: string, isRun: (name: string) => boolean): boolean {
  try {
    const { scripts } = JSON.parse(text) as { scripts?: unknown };
    return typeof scripts === "object" && scripts !== null && Object.keys(scripts).some(isRun);
  } catch {
    return true;
  }
}
