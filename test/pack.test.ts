import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import packageJson from "../package.json" with { type: "json" };
import { build } from "../scripts/build.ts";
import { findOldNode } from "./find-old-node.ts";

const REPOSITORY = path.join(import.meta.dirname, "..");
const OLD_NODE = findOldNode();

/** Builds and packs a copy, and installs it like a user in a separate prefix. */
describe("packed package", () => {
  let root: string;
  let installed: string;

  beforeAll(async () => {
    root = await mkdtemp(path.join(os.tmpdir(), "pack-"));
    const copy = path.join(root, "copy");
    for (const name of ["package.json", ...packageJson.files]) {
      if (name !== "dist") await cp(path.join(REPOSITORY, name), path.join(copy, name), { recursive: true });
    }
    if (!build(path.join(copy, "dist"))) throw new Error("The build failed; `npm run build` shows why.");

    // Without scripts, because `prepack` would build a second time and an install must not need scripts.
    npm(["pack", "--ignore-scripts", "--pack-destination", root], copy);
    npm(
      ["install", "--ignore-scripts", "--prefix", root, path.join(root, `nightshift-${packageJson.version}.tgz`)],
      root,
    );
    installed = path.join(root, "node_modules", "nightshift");
  }, 300_000);

  afterAll(async () => {
    await rm(root, { recursive: true, force: true });
  });

  test("supports --version and --help", () => {
    const version = nightshift(process.execPath, "--version");
    expect(version).toMatchObject({ status: 0, stdout: `${packageJson.version}\n`, stderr: "" });

    const help = nightshift(process.execPath, "--help");
    expect(help).toMatchObject({ status: 0, stderr: "" });
    expect(help.stdout).toContain("submit");
  });

  test("contains JavaScript and the built-in files, but nothing that only tests need", async () => {
    const entries = await readdir(installed, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(installed, path.join(entry.parentPath, entry.name)))
      .filter((file) => !file.startsWith("node_modules"));

    const builtIn = await readdir(path.join(REPOSITORY, "src/builtin"), { recursive: true, withFileTypes: true });
    // Every prompt, category and pipeline is needed at run time.
    const shipped = builtIn
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(path.join(REPOSITORY, "src"), path.join(entry.parentPath, entry.name)));
    expect(shipped).toContain("builtin/prompts/analyze.md");
    expect(files).toEqual(
      expect.arrayContaining([
        ...shipped.map((file) => `dist/${file}`),
        "CHANGELOG.md",
        "LICENSE",
        "README.md",
        "bin/nightshift",
        "bin/package.json",
        "docs/cli.md",
        "dist/cli/main.js",
        "dist/supervisor/main.js",
        "dist/mcp/bridge.mjs",
        "dist/mcp/report-outcome.mjs",
        "dist/page/index.html",
      ]),
    );
    expect(files.filter((file) => /\.test\.|\.suite\.|(^|\/)(testing|fixtures|src)\/|\.ts$/.test(file))).toEqual([]);
  });

  test.skipIf(OLD_NODE === null)("prints which Node version it needs", () => {
    const answer = nightshift(OLD_NODE ?? "", "queue");
    expect(answer).toMatchObject({ status: 2, stdout: "" });
    expect(answer.stderr).toMatch(
      /^nightshift needs Node 24 or newer, but this is Node \d+\.\d+\.\d+\. Install a newer one.*\n$/,
    );
  });

  function nightshift(node: string, ...args: string[]): SpawnSyncReturns<string> {
    const env = { ...process.env, NIGHTSHIFT_HOME: path.join(root, "home"), NODE_OPTIONS: "" };
    return spawnSync(node, [path.join(root, "node_modules", ".bin", "nightshift"), ...args], { encoding: "utf8", env });
  }
});

function npm(args: readonly string[], cwd: string): void {
  const { status, stdout, stderr } = spawnSync("npm", [...args, "--no-audit", "--no-fund"], { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`npm ${args[0]} failed: ${stdout}${stderr}`);
}
