import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findBundle, SUPERVISOR } from "../src/adapters/process/bundle.ts";
import { bundleBuilt, bundleCheckout } from "./bundle-supervisor.ts";

const SOURCES = path.join(import.meta.dirname, "..", "src");

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(os.tmpdir(), "bundle-")));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

describe("supervisor bundle", () => {
  test("needs no other source file", async () => {
    cpSync(SOURCES, path.join(root, "src"), { recursive: true });
    await bundleCheckout(root);
    const entry = findBundle(root, SUPERVISOR) ?? "";
    rmSync(path.join(root, "src"), { recursive: true });
    const { status, stderr } = run(entry, path.join(root, "no-job"));
    // It has no job, so it exits with 2.
    expect({ status, stderr }).toEqual({ status: 2, stderr: "" });
  });

  test("is not used after one of its sources was changed, removed or added", async () => {
    write("src/supervisor/main.ts", `import { said } from "../core/said.ts";\nconsole.log(said);\n`);
    write("src/core/said.ts", `export const said: string = "first";\n`);
    expect(findBundle(root, SUPERVISOR)).toBeNull();
    await bundleCheckout(root);
    const first = findBundle(root, SUPERVISOR);
    expect(run(first ?? "").stdout).toBe("first\n");

    write("src/core/said.ts", `export const said: string = "later";\n`);
    expect(findBundle(root, SUPERVISOR)).toBeNull();
    rmSync(path.join(root, "src/core/said.ts"));
    expect(findBundle(root, SUPERVISOR)).toBeNull();
    write("src/core/said.ts", `export const said: string = "first";\n`);
    expect(findBundle(root, SUPERVISOR)).toBe(first);

    write("src/core/more.ts", `export const more = "more";\n`);
    expect(findBundle(root, SUPERVISOR)).toBe(first);
    appendFileSync(path.join(root, "src/supervisor/main.ts"), `console.log((await import("../core/more.ts")).more);\n`);
    expect(findBundle(root, SUPERVISOR)).toBeNull();
    await bundleCheckout(root);
    expect(run(findBundle(root, SUPERVISOR) ?? "").stdout).toBe("first\nmore\n");
    // Programs that started with the older bundle can still read it.
    expect(run(first ?? "").stdout).toBe("first\n");
  });

  test("includes dynamically imported sources, and loads them on demand", async () => {
    write("src/supervisor/main.ts", `if (process.argv[2]) await import("../core/loud.ts");\n`);
    write("src/core/loud.ts", `console.log("loaded");\n`);
    await bundleCheckout(root);
    const entry = findBundle(root, SUPERVISOR) ?? "";
    expect(run(entry).stdout).toBe("");
    expect(run(entry, "yes").stdout).toBe("loaded\n");
    write("src/core/loud.ts", `console.log("LOADED");\n`);
    expect(findBundle(root, SUPERVISOR)).toBeNull();
  });

  test("has no deadlock when it awaits a module that shares another with it", async () => {
    write("src/core/said.ts", `export const said = [process.argv.length, "shared"].at(1);\n`);
    write("src/core/loud.ts", `import { said } from "./said.ts";\nexport const loud = \`\${said}!\`;\n`);
    write(
      "src/supervisor/main.ts",
      `import { said } from "../core/said.ts";\nconsole.log(said, (await import("../core/loud.ts")).loud);\n`,
    );
    await bundleCheckout(root);
    expect(run(findBundle(root, SUPERVISOR) ?? "")).toMatchObject({ status: 0, stdout: "shared shared!\n" });
  });

  test("gives each module its original URL, and only the entry point counts as the main program", async () => {
    write(
      "src/supervisor/main.ts",
      `import "../core/place.ts";\nconsole.log(import.meta.main, import.meta.filename);\n`,
    );
    write("src/core/place.ts", `console.log(import.meta.main, import.meta.url, import.meta.dirname);\n`);
    await bundleCheckout(root);
    const core = path.join(root, "src", "core");
    expect(run(findBundle(root, SUPERVISOR) ?? "").stdout).toBe(
      `false file://${core}/place.ts ${core}\ntrue ${path.join(root, "src", "supervisor", "main.ts")}\n`,
    );
  });

  test("leaves no partial bundle if a source cannot be read", async () => {
    write("src/supervisor/main.ts", `import "../core/missing.ts";\n`);
    await expect(bundleCheckout(root)).rejects.toThrow(/missing\.ts/);
    expect(findBundle(root, SUPERVISOR)).toBeNull();
    expect(readdirSync(path.join(root, "node_modules/.cache/nightshift-bundles"))).toEqual([]);
  });

  test("replaces the compiled program", async () => {
    write("package.json", `{ "type": "module" }`);
    write("dist/supervisor/main.js", `import { said } from "../core/said.js";\nconsole.log(said, import.meta.url);\n`);
    write("dist/core/said.js", `export const said = "built";\n`);
    await bundleBuilt(path.join(root, "dist"));
    rmSync(path.join(root, "dist/core"), { recursive: true });
    const entry = path.join(root, "dist/supervisor/main.js");
    expect(run(entry).stdout).toBe(`built file://${entry}\n`);
    expect(readdirSync(path.join(root, "dist"))).toEqual(["supervisor"]);
  });
});

describe("self-contained bundle", () => {
  const whole = { source: "mcp/server", isWhole: true };

  beforeEach(() => {
    write("package.json", `{ "type": "module" }`);
    write(
      "node_modules/said/package.json",
      `{ "name": "said", "version": "1.0.0", "type": "module", "exports": "./said.js" }`,
    );
    write("node_modules/said/said.js", `export const said = "packaged";\n`);
  });

  test("contains its packages and dynamic imports in one file, and is not used after one of them changed", async () => {
    write("src/core/late.ts", `export const late: string = "late";\n`);
    write(
      "src/mcp/server.ts",
      `import { said } from "said";\nconsole.log(said, (await import("../core/late.ts")).late);\n`,
    );
    await bundleCheckout(root, whole);
    const entry = findBundle(root, whole) ?? "";
    const alone = path.join(root, "elsewhere.mjs");
    cpSync(entry, alone);
    expect(readdirSync(path.dirname(entry))).toEqual(["server.mjs"]);
    write("node_modules/said/said.js", `export const said = "changed";\n`);
    expect(findBundle(root, whole)).toBeNull();
    rmSync(path.join(root, "node_modules"), { recursive: true });
    expect(run(alone).stdout).toBe("packaged late\n");
  });

  test("is not created if a package is missing", async () => {
    write("src/mcp/server.ts", `import "a-package-of-nobody";\n`);
    await expect(bundleCheckout(root, whole)).rejects.toThrow(/a-package-of-nobody/);
    expect(findBundle(root, whole)).toBeNull();
  });

  test("is placed next to the compiled program, and works without package.json", async () => {
    write("dist/mcp/server.js", `import { said } from "said";\nconsole.log(said, await 1);\n`);
    await bundleBuilt(path.join(root, "dist"), whole);
    for (const gone of ["node_modules", "package.json"]) rmSync(path.join(root, gone), { recursive: true });
    expect(run(path.join(root, "dist/mcp/server.mjs"))).toMatchObject({ stdout: "packaged 1\n", stderr: "" });
  });
});

function write(file: string, text: string): void {
  const target = path.join(root, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, text);
}

function run(entry: string, ...args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [entry, ...args], { encoding: "utf8" });
}
