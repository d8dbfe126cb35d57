import { describe, expect, test } from "vitest";
import { checkDiff } from "./check-diff.ts";
import { changesOf, RULES, type Files } from "./fixtures/fixture.ts";
import { findGateSources, type BaseFile } from "./gate-sources.ts";

const link = (target: string) => ({ link: target });
type Tree = Readonly<Record<string, string | ReturnType<typeof link>>>;

function readFrom(tree: Tree): (paths: readonly string[]) => Promise<readonly BaseFile[]> {
  return async (paths) =>
    Object.entries(tree)
      .filter(([path]) => paths.includes(path))
      .map(([path, entry]) =>
        typeof entry === "string" ? { path, kind: "file", text: entry } : { path, kind: "link", text: entry.link },
      );
}

/** Paths of the gates among these changed files, for a project with these commands and files. */
async function changedGates(commands: readonly string[], tree: Tree, changed: Files): Promise<readonly string[]> {
  const { commands: checkCommands, files: gateFiles } = await findGateSources(commands, readFrom(tree));
  const before = Object.fromEntries(
    Object.keys(changed).flatMap((path) => {
      const entry = tree[path];
      return typeof entry === "string" ? [[path, entry]] : [];
    }),
  );
  const findings = checkDiff(changesOf({ before, after: changed }), { ...RULES, checkCommands, gateFiles });
  return [...new Set(findings.filter(({ rule }) => rule === "gates_changed").map(({ path }) => path))];
}

const RULES_MK = "unit: prepared\n\tsh etc/unit.sh\nprepared:\n\t./etc/prepare\ndeploy:\n\t./deploy.sh\n";

describe("diff policy: gates that check commands reach through unchanged files", () => {
  const scripts =
    '{"scripts":{"test":"npm run deep && make unit","deep":"node etc/run.js","start":"node src/main.js"}}';
  const tree: Tree = {
    "package.json": scripts,
    "etc/run.js": "run\n",
    "src/main.js": "main\n",
    Makefile: "include rules.mk etc/more.inc\nall: unit\nserve:\n\t./serve.sh\n",
    "rules.mk": RULES_MK,
    "etc/more.inc": "X = 1\n",
    "etc/unit.sh": link("../real/unit.sh"),
    "real/unit.sh": "unit\n",
    "etc/prepare": "prepare\n",
    "serve.sh": "serve\n",
    "deploy.sh": "deploy\n",
    "tsconfig.json": '{ "extends": ["./etc/strict", "some-package/x.json"] }',
    "etc/strict.json": '{ "extends": "./base.json" }',
    "etc/base.json": "{}\n",
  };

  test.each([
    ["a script that package.json runs", "etc/run.js"],
    ["a script of a prerequisite in an included make file", "etc/prepare"],
    ["an included file of make", "etc/more.inc"],
    ["the target of a link to an executed script", "real/unit.sh"],
    ["a configuration that tsconfig.json extends", "etc/strict.json"],
    ["a configuration that an extended one extends", "etc/base.json"],
  ])("%s", async (_, path) => {
    expect(await changedGates(["npm test"], tree, { [path]: "changed\n" })).toEqual([path]);
  });

  test("a target of an included make file that a check builds", async () => {
    expect(await changedGates(["make"], tree, { "rules.mk": RULES_MK.replace("etc/unit.sh", "-c true") })).toEqual([
      "rules.mk",
    ]);
    expect(await changedGates(["make"], tree, { "rules.mk": RULES_MK.replace("./deploy.sh", "./d.sh") })).toEqual([]);
  });

  test.each(["src/main.js", "serve.sh", "deploy.sh", "src/etc/run.js"])("%s is not a gate", async (path) => {
    expect(await changedGates(["npm test"], tree, { [path]: "changed\n" })).toEqual([]);
  });

  test("files that refer to each other, leave the repository or are damaged end the search", async () => {
    const odd: Tree = {
      "package.json": '{"scripts": [1, null, {"test": 2}], "extends": "../../x"}',
      Makefile: "include Makefile a.mk /etc/x.mk ../../y.mk $(Z)\ntest: test\n\t$(MAKE) test\n",
      "a.mk": "include a.mk b.mk\n",
      "b.mk": link("a.mk"),
      "tsconfig.json": '{"extends": "./tsconfig.json"',
      run: link("run"),
    };
    const { commands, files } = await findGateSources(["make test", "./run", "npm t"], readFrom(odd));
    expect(commands).toEqual(expect.arrayContaining(["make test", "./run", "npm t"]));
    expect(files).toEqual(["tsconfig.json", "run"]);
  });
});

describe("diff policy: gates by name", () => {
  test.each([
    ".npmrc",
    ".yarnrc.yml",
    "bunfig.toml",
    ".gitattributes",
    "sitecustomize.py",
    ".mvn/maven.config",
    "gradle.properties",
    "gradle/wrapper/gradle-wrapper.properties",
    "settings.gradle.kts",
    "project/plugins.sbt",
    ".bazelrc",
    "node_modules/.bin/vitest",
    "packages/a/node_modules/jest/index.js",
    ".venv/bin/pytest",
    ".yarn/releases/yarn-4.cjs",
  ])("%s", async (path) => {
    expect(await changedGates([], {}, { [path]: "changed\n" })).toEqual([path]);
  });
});

describe("diff policy: files of set-up commands", () => {
  test.each([
    ["sh etc/setup.sh", "etc/setup.sh"],
    ["node --env-file=.env.test src/x.js", ".env.test"],
  ])("%j makes %s a gate", async (command, path) => {
    expect(await changedGates([command], {}, { [path]: "changed\n" })).toEqual([path]);
  });

  test.each([
    ["python3 -m venv .venv && .venv/bin/pip install -r requirements.txt", "requirements.txt"],
    ["pip install -c limits.txt -r requirements.txt", "limits.txt"],
    ["npm ci", "src/ci"],
    ["go mod download", "go.mod"],
  ])("%j does not make %s a gate", async (command, path) => {
    expect(await changedGates([command], {}, { [path]: "changed\n" })).toEqual([]);
  });
});
