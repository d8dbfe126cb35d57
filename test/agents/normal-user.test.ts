import { spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { cacheDir, ensureAgent } from "../../scripts/ensure-agents.ts";
import { CLAUDE_PACKAGE } from "../../src/adapters/agents/claude-code/claude-code.ts";

/** A user without files and without an entry in the user database. */
const UID = 54_321;
const SETPRIV = "/usr/bin/setpriv";
const AS_USER = ["--reuid", String(UID), "--regid", String(UID), "--clear-groups", "--"];
const CHECKOUT = join(import.meta.dirname, "../..");

const isRoot = process.getuid?.() === 0;

// Other users run every test of this folder as themselves.
test.skipIf(!isRoot || !canReadCheckout())(
  "claude: works in the sandbox of a normal user, too",
  { timeout: 180_000 },
  () => {
    const folder = mkdtempSync(join(tmpdir(), "nightshift-user-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const env = {
      PATH: process.env["PATH"] ?? "",
      HOME: join(folder, "home"),
      TMPDIR: join(folder, "tmp"),
      XDG_CACHE_HOME: join(folder, "cache"),
    };
    for (const own of [folder, env.HOME, env.TMPDIR]) {
      mkdirSync(own, { recursive: true });
      chownSync(own, UID, UID);
    }
    shareAgents(cacheDir(env));
    const vitest = join(CHECKOUT, "node_modules/vitest/vitest.mjs");
    const config = ["--config", "vitest.agents.config.ts", "--configLoader", "runner"];
    const report = join(env.TMPDIR, "report.json");
    const chosen = [
      "--reporter",
      "json",
      "--outputFile",
      report,
      "-t",
      "claude in the sandbox",
      "test/agents/claude.test.ts",
    ];
    const command = [process.execPath, vitest, "run", ...config, ...chosen];
    const { stderr } = spawnSync(SETPRIV, [...AS_USER, ...command], { cwd: CHECKOUT, env, encoding: "utf8" });
    // vitest's own format.
    const found = existsSync(report) ? (JSON.parse(readFileSync(report, "utf8")) as { numPassedTests: number }) : null;
    expect(found, stderr).toMatchObject({ success: true, numFailedTests: 0 });
    expect(found?.numPassedTests).toBeGreaterThan(0);
  },
);

function canReadCheckout(): boolean {
  const script = 'test -r "$1" && "$2" --version';
  return (
    spawnSync(SETPRIV, [...AS_USER, "sh", "-c", script, "sh", import.meta.filename, process.execPath]).status === 0
  );
}

/** Root's cache is not readable for others. The files are large, so they are hard-linked if possible. */
function shareAgents(cache: string): void {
  const program = ensureAgent(CLAUDE_PACKAGE);
  const packageDir = dirname(dirname(dirname(program)));
  mkdirSync(cache, { recursive: true });
  const target = join(cache, basename(packageDir));
  const isLinked = spawnSync("cp", ["-al", packageDir, target]).status === 0;
  if (!isLinked) {
    rmSync(target, { recursive: true, force: true });
    spawnSync("cp", ["-a", packageDir, target]);
  }
  spawnSync("chmod", ["755", target]);
}
