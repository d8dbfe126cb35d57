import { join } from "node:path";
import { readText } from "../../config/files/read-text.ts";
import { listUsedPrograms } from "../../policy/access/used-programs.ts";

const NPM = ["npm", "pnpm", "yarn", "bun", "npx"];

/** Hosts that package managers download from, unless the project names others. */
const REGISTRIES: readonly { readonly programs: readonly string[]; readonly hosts: readonly string[] }[] = [
  { programs: NPM, hosts: ["registry.npmjs.org"] },
  { programs: ["pip", "pip3", "uv", "poetry", "pdm"], hosts: ["pypi.org", "files.pythonhosted.org"] },
  { programs: ["cargo"], hosts: ["index.crates.io", "static.crates.io"] },
  { programs: ["go"], hosts: ["proxy.golang.org", "sum.golang.org"] },
  { programs: ["dotnet"], hosts: ["api.nuget.org"] },
  { programs: ["deno"], hosts: ["jsr.io", "npm.jsr.io", "registry.npmjs.org", "deno.land"] },
  { programs: ["composer"], hosts: ["repo.packagist.org", "api.github.com", "codeload.github.com"] },
  { programs: ["bundle"], hosts: ["rubygems.org", "index.rubygems.org"] },
  { programs: ["mix"], hosts: ["repo.hex.pm", "builds.hex.pm"] },
  { programs: ["mvn"], hosts: ["repo.maven.apache.org"] },
  { programs: ["gradle"], hosts: ["repo.maven.apache.org", "plugins.gradle.org", "services.gradle.org"] },
];

/** Subcommands and files that show that a program downloads packages. */
const DOWNLOADS =
  /\b(npm|pnpm|yarn|bun)\s+(ci|i|install|add)\b|\byarn\s*$|\bpip3?\s+install\b|\b(uv|poetry|pdm)\s+(sync|install|pip)\b|\bcargo\s+(fetch|build|install|vendor)\b|\bgo\s+(mod|build|install|get)\b|\b(mvnw?|gradlew?)\b|\bdotnet\s+restore\b|\b(deno|composer|bundle)\s+install\b|\bmix\s+deps\.get\b/;

/** Lists the hosts that this set-up command downloads packages from. Empty if it downloads nothing that we know of. */
export async function findRegistryHosts(setup: string | null, dir: string): Promise<readonly string[]> {
  if (setup === null || !DOWNLOADS.test(setup)) return [];
  const started = [...listUsedPrograms(setup), ...pathsIn(setup)];
  const used = REGISTRIES.filter(({ programs }) => programs.some((program) => started.includes(program)));
  const own = used.some(({ programs }) => programs === NPM) ? await readNpmRegistry(dir) : null;
  return [...new Set(used.flatMap(({ programs, hosts }) => (programs === NPM && own !== null ? [own] : hosts)))];
}

/** Programs that are called by a path, such as `.venv/bin/pip` and `./gradlew`. */
function pathsIn(setup: string): readonly string[] {
  return [...setup.matchAll(/\S*\/([\w.-]+)/g)].map(([, name = ""]) => name.replace(/^(mvn|gradle)w$/, "$1"));
}

/** The registry in the project's .npmrc, as a rule for `sandbox.network`. */
async function readNpmRegistry(dir: string): Promise<string | null> {
  const text = await readText(join(dir, ".npmrc"), dir).catch(() => null);
  const address = /^\s*registry\s*=\s*(\S+)/m.exec(text ?? "")?.[1];
  const url = address === undefined ? null : URL.parse(address);
  if (url === null || !/^[a-z0-9.-]+$/i.test(url.hostname)) return null;
  const port = url.port === "" ? (url.protocol === "http:" ? "80" : "") : url.port;
  return port === "" ? url.hostname : `${url.hostname}:${port}`;
}
