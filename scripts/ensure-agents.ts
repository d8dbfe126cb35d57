import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** An agent CLI with the exact version for the tests, because the newest one changes daily and depends on the Node version. */
export interface AgentPackage {
  /** Name of the program in `node_modules/.bin`. */
  readonly name: string;
  readonly package: string;
  readonly version: string;
}

export const AGENTS = {
  claude: { name: "claude", package: "@anthropic-ai/claude-code", version: "2.1.325" },
  codex: { name: "codex", package: "@openai/codex", version: "0.166.0" },
  gemini: { name: "gemini", package: "@google/gemini-cli", version: "0.61.0" },
  opencode: { name: "opencode", package: "opencode-ai", version: "1.18.33" },
  qwen: { name: "qwen", package: "@qwen-code/qwen-code", version: "0.24.4" },
} as const satisfies Record<string, AgentPackage>;

/** Outside every clone, because these are hundreds of megabytes and the same for all clones. */
export function cacheDir(env: NodeJS.ProcessEnv = process.env): string {
  const cache = env["XDG_CACHE_HOME"];
  return join(cache === undefined || cache === "" ? join(homedir(), ".cache") : cache, "nightshift-agents");
}

export function programOf({ name, version }: AgentPackage, cache = cacheDir()): string {
  return join(cache, `${name}@${version}`, "node_modules", ".bin", name);
}

/** Installs the agent if it is missing. Safe to interrupt and to run concurrently. */
export function ensureAgent(agent: AgentPackage, cache = cacheDir()): string {
  const program = programOf(agent, cache);
  if (existsSync(program)) return program;
  mkdirSync(cache, { recursive: true });
  const draft = mkdtempSync(join(cache, `.${agent.name}-`));
  try {
    install(agent, draft);
    moveInto(draft, join(cache, `${agent.name}@${agent.version}`));
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return program;
}

function install(agent: AgentPackage, folder: string): void {
  const what = `${agent.package}@${agent.version}`;
  const options = ["--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"];
  const npm = spawnSync("npm", ["install", "--prefix", folder, ...options, what], {
    cwd: folder,
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (npm.status !== 0) {
    throw new Error(
      `The tests with real agents need ${what}, but npm could not install it. The npm registry must be reachable once; afterwards the agent is cached in ${cacheDir()}.`,
    );
  }
  const { stdout } = spawnSync(join(folder, "node_modules", ".bin", agent.name), ["--version"], { encoding: "utf8" });
  if ((stdout ?? "").includes(agent.version)) return;
  throw new Error(
    `npm should have installed ${what}, but \`${agent.name} --version\` prints "${(stdout ?? "").trim()}".`,
  );
}

function moveInto(draft: string, place: string): void {
  try {
    renameSync(draft, place);
  } catch (error) {
    // Another process has installed the same.
    if (!existsSync(place)) throw error;
  }
}

if (import.meta.main) {
  try {
    for (const agent of Object.values(AGENTS)) ensureAgent(agent);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
