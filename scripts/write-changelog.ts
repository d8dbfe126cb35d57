import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const CHANGESETS = createRequire(import.meta.url).resolve("@changesets/cli/bin.js");

/**
 * Writes the section of the coming version at the top of CHANGELOG.md, from the files in .changeset. The changesets tool
 * writes it, in a copy of the repository, so that the section is the same as in the release. With `release`, the version
 * in package.json is raised and the changesets are removed too.
 */
export function writeChangelog(root: string, release: boolean): void {
  // Without changesets there is no coming version, and the tool fails.
  if (!readdirSync(join(root, ".changeset")).some((name) => name.endsWith(".md"))) return;
  const copy = mkdtempSync(join(tmpdir(), "changelog-"));
  try {
    cpSync(join(root, ".changeset"), join(copy, ".changeset"), { recursive: true });
    cpSync(join(root, "package.json"), join(copy, "package.json"));
    const file = join(root, "CHANGELOG.md");
    if (existsSync(file))
      writeFileSync(join(copy, "CHANGELOG.md"), dropComingVersion(root, readFileSync(file, "utf8")));
    execFileSync(process.execPath, [CHANGESETS, "version"], { cwd: copy, stdio: "pipe" });
    writeFileSync(file, `${readFileSync(join(copy, "CHANGELOG.md"), "utf8").trimEnd()}\n`);
    if (!release) return;
    cpSync(join(copy, "package.json"), join(root, "package.json"));
    for (const name of readdirSync(join(root, ".changeset")))
      if (!existsSync(join(copy, ".changeset", name))) rmSync(join(root, ".changeset", name));
  } finally {
    rmSync(copy, { recursive: true });
  }
}

/** The newest section is about the coming version, unless package.json already has that version. */
function dropComingVersion(root: string, changelog: string): string {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly version: string };
  const [title = "", newest = "", ...released] = changelog.split(/^(?=## )/m);
  return newest.startsWith(`## ${version}\n`) ? changelog : [title, ...released].join("");
}

if (import.meta.main) writeChangelog(ROOT, process.argv.includes("--release"));
