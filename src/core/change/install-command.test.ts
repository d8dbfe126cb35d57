import { describe, expect, it } from "vitest";
import { affectsInstall, installsOwnSources, isInstallCommand } from "./install-command.ts";

describe("isInstallCommand", () => {
  it.each([
    "npm ci",
    "npm  ci --no-audit --ignore-scripts",
    "pnpm install --frozen-lockfile",
    "yarn",
    "yarn install --immutable",
    "bun install --frozen-lockfile",
    "uv sync",
    "bundle install",
    "cargo fetch --locked && npm ci",
    "go mod download",
    "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt",
  ])("%s only installs dependencies", (command) => expect(isInstallCommand(command)).toBe(true));

  it.each([
    "",
    "npm ci && npm run build",
    "npm ci; curl example.org",
    "npm ci || true",
    "npm ci &",
    "npm ci > log.txt",
    "npm ci\nmake db",
    "npm ci\n--foo",
    "npm ci $(cat extra)",
    "npm install left-pad",
    "npm install -g tool",
    "uv sync --no-editable",
    "python3 -m venv .venv",
    ".venv/bin/pip install .",
    "make deps",
    "constructor ci",
  ])("%j may do something else", (command) => expect(isInstallCommand(command)).toBe(false));
});

it.each([
  ["package-lock.json", true],
  ["packages/a/package.json", true],
  [".nvmrc", true],
  [".npmrc", true],
  ["requirements-dev.txt", true],
  [".yarn/patches/x.patch", true],
  ["src/index.js", false],
  ["docs/package.json.md", false],
])("affectsInstall: %s is %s", (path, expected) => expect(affectsInstall(path)).toBe(expected));

it.each([
  ["package.json", '{"scripts":{"test":"x"}}', false],
  ["package.json", '{"scripts":{"prepare":"tsc"}}', true],
  ["a/package.json", "not json", true],
  ["package.json", '{"scripts":["prepare"]}', false],
  ["pyproject.toml", '[project]\nname = "a"\n', false],
  ["pyproject.toml", '[build-system]\nrequires = ["maturin"]\n', true],
  ["requirements.txt", "flask==3\n", false],
  ["requirements.txt", "flask==3\n-e .\n", true],
  ["requirements.txt", "./lib\n", true],
  ["setup.py", "", true],
])("installsOwnSources: %s with %j is %s", (path, text, expected) =>
  expect(installsOwnSources(path, text)).toBe(expected),
);
