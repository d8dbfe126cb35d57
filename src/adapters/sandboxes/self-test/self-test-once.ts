import { createHash } from "node:crypto";
import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { release } from "node:os";
import { dirname, join } from "node:path";
import { UserError } from "../../../core/text/errors.ts";
import type { Sandbox } from "../../../ports/sandbox.ts";
import { EXTERNAL_HINT } from "./diagnose.ts";
import { findBubblewrap } from "../bubblewrap/find-bubblewrap.ts";
import type { Probe } from "./self-test-probes.ts";
import type { SceneParams } from "./self-test-scene.ts";
import { runSelfTest } from "./self-test.ts";

const FILE = "self-test.json";

/** Like `runSelfTest`, but reuses the result of a passed test for the same machine and sandbox. */
export async function runSelfTestOnce(sandbox: Sandbox, params: SceneParams): Promise<readonly Probe[]> {
  const file = join(params.home, FILE);
  const key = await buildCacheKey(sandbox);
  const cached = readResult(file);
  if (cached?.key === key) return cached.probes;
  const probes = await runSelfTest(sandbox, params);
  if (probes.every(({ ok }) => ok)) writeResult(file, { key, probes });
  return probes;
}

/** Throws a UserError of kind "unavailable" that lists the failed probes. */
export function requirePassed(probes: readonly Probe[]): void {
  const failures = probes.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`);
  if (failures.length === 0) return;
  const message = `The sandbox does not hold on this machine (${failures.join("; ")}), so no run is started.`;
  throw new UserError("unavailable", message, `"nightshift doctor" shows every probe. ${EXTERNAL_HINT}`);
}

/** Everything that the result depends on. */
async function buildCacheKey(sandbox: Sandbox): Promise<string> {
  const version = sandbox.name === "bubblewrap" ? (await findBubblewrap()).version : release();
  const user = String(process.getuid?.() ?? "");
  return [process.platform, process.arch, release(), sandbox.name, version, user, hashSourceFiles()].join(" ");
}

/** After a change or a new installation of the sandbox's source files, the test runs again. */
function hashSourceFiles(): string {
  const folder = dirname(import.meta.dirname);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
  const hash = createHash("sha256");
  for (const file of files) {
    const { size, mtimeMs } = statSync(join(folder, file));
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest("hex");
}

interface CachedResult {
  readonly key: string;
  readonly probes: readonly Probe[];
}

function readResult(file: string): CachedResult | null {
  try {
    // Trusted, because only this user can write to the directory.
    return JSON.parse(readFileSync(file, "utf8")) as CachedResult;
  } catch {
    return null;
  }
}

function writeResult(file: string, result: CachedResult): void {
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(result, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, file);
}
