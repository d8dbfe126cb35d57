import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { AGENTS } from "../src/adapters/agents/index.ts";
import type { AgentPackage } from "../src/adapters/agents/shared/agent-package.ts";

/** The agent CLIs that are tested as real programs. */
export const AGENT_PACKAGES: readonly AgentPackage[] = AGENTS.flatMap((agent) => agent.package ?? []);

/** Outside every clone, because these are hundreds of megabytes and the same for all clones. */
export function cacheDir(env: NodeJS.ProcessEnv = process.env): string {
  const cache = env["XDG_CACHE_HOME"];
  return join(cache === undefined || cache === "" ? join(homedir(), ".cache") : cache, "nightshift-agents");
}

export function programOf({ program, tested }: AgentPackage, cache = cacheDir()): string {
  return join(cache, `${program}@${tested}`, "node_modules", ".bin", program);
}

/** Installs the agent if it is missing. Safe to interrupt and to run concurrently. */
export function ensureAgent(agent: AgentPackage, cache = cacheDir()): string {
  const program = programOf(agent, cache);
  if (existsSync(program)) return program;
  mkdirSync(cache, { recursive: true });
  const draft = mkdtempSync(join(cache, `.${agent.program}-`));
  try {
    install(agent, draft);
    moveInto(draft, join(cache, `${agent.program}@${agent.tested}`));
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return program;
}

function install(agent: AgentPackage, folder: string): void {
  const what = `${agent.package}@${agent.tested}`;
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
  const { stdout } = spawnSync(join(folder, "node_modules", ".bin", agent.program), ["--version"], {
    encoding: "utf8",
  });
  if ((stdout ?? "").includes(agent.tested)) return;
  throw new Error(
    `npm should have installed ${what}, but \`${agent.program} --version\` prints "${(stdout ?? "").trim()}".`,
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
    for (const agent of AGENT_PACKAGES) ensureAgent(agent);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
