import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeChangelog } from "./write-changelog.ts";

const ROOT = join(import.meta.dirname, "..");
let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "nightshift-changelog-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

const read = (name: string): string => readFileSync(join(dir, name), "utf8");

function addChangeset(name: string, bump: "minor" | "patch"): void {
  writeFileSync(join(dir, ".changeset", `${name}.md`), `---\n"nightshift": ${bump}\n---\n\nWhat is ${name}.\n`);
}

function createRepository(): void {
  mkdirSync(join(dir, ".changeset"));
  cpSync(join(ROOT, ".changeset/config.json"), join(dir, ".changeset/config.json"));
  writeFileSync(join(dir, "package.json"), '{ "name": "nightshift", "version": "1.0.0" }\n');
}

describe("changelog", () => {
  it("CHANGELOG.md contains every changeset (npm run changelog)", () => {
    for (const name of [".changeset", "package.json", "CHANGELOG.md"])
      cpSync(join(ROOT, name), join(dir, name), { recursive: true });
    writeChangelog(dir, false);
    expect(readFileSync(join(ROOT, "CHANGELOG.md"), "utf8")).toBe(read("CHANGELOG.md"));
  });

  it("a new changeset is added to the section of the coming version", () => {
    createRepository();
    addChangeset("fixed", "patch");
    writeChangelog(dir, false);
    expect(read("CHANGELOG.md")).toBe("# nightshift\n\n## 1.0.1\n\n### Patch Changes\n\n- What is fixed.\n");
    addChangeset("new", "minor");
    writeChangelog(dir, false);
    expect(read("CHANGELOG.md").match(/^## .*/gm)).toEqual(["## 1.1.0"]);
    expect(read("CHANGELOG.md")).toMatch(/- What is new\.[^]*- What is fixed\./);
  });

  it("a release raises the version, removes the changesets and keeps its section", () => {
    createRepository();
    addChangeset("new", "minor");
    writeChangelog(dir, true);
    expect(read("package.json")).toContain('"version": "1.1.0"');
    expect(readdirSync(join(dir, ".changeset"))).toEqual(["config.json"]);
    const released = read("CHANGELOG.md");
    writeChangelog(dir, false);
    expect(read("CHANGELOG.md")).toBe(released);
    addChangeset("fixed", "patch");
    writeChangelog(dir, false);
    expect(read("CHANGELOG.md").match(/^## .*/gm)).toEqual(["## 1.1.1", "## 1.1.0"]);
  });
});
