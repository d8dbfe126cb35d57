import type { Files } from "../../testing/temp-repo.ts";

export const PACKAGE = JSON.stringify({ scripts: { build: "b", lint: "l", "type-check": "t", test: "vitest" } });

/** Files of a project, and what is detected from them. */
export const DETECTED_TOOLS: readonly {
  readonly name: string;
  readonly files: Files;
  readonly setup: string | null;
  readonly checks: object;
  readonly commands: readonly string[];
}[] = [
  { name: "nothing", files: {}, setup: null, checks: {}, commands: ["git"] },
  {
    name: "npm",
    files: { "package.json": PACKAGE, "package-lock.json": " ".repeat(2_000_000) },
    setup: "npm ci",
    checks: { build: "npm run build", lint: "npm run lint", typecheck: "npm run type-check", test: "npm run test" },
    commands: ["git", "node", "npm"],
  },
  {
    name: "npm init",
    files: { "package.json": '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}' },
    setup: "npm install",
    checks: {},
    commands: ["git", "node", "npm"],
  },
  {
    name: "pnpm",
    files: { "package.json": PACKAGE, "pnpm-lock.yaml": "" },
    setup: "pnpm install --frozen-lockfile",
    checks: { test: "pnpm run test" },
    commands: ["git", "node", "pnpm"],
  },
  {
    name: "yarn",
    files: { "package.json": PACKAGE, "yarn.lock": "", ".yarnrc.yml": "" },
    setup: "yarn install --immutable",
    checks: { build: "yarn run build" },
    commands: ["git", "node", "yarn"],
  },
  {
    name: "a broken package.json",
    files: { "package.json": "{" },
    setup: "npm install",
    checks: {},
    commands: ["git", "node", "npm"],
  },
  {
    name: "odd scripts",
    files: { "package.json": '{"scripts":{"test":7,"build":"b"}}' },
    setup: "npm install",
    checks: { build: "npm run build" },
    commands: ["git", "node", "npm"],
  },
  {
    name: "make",
    files: { Makefile: "CC := cc\nbuild: x\n\tcc\ntest :\n\t./t\nlint:=1\n" },
    setup: null,
    checks: { build: "make build", test: "make test" },
    commands: ["git", "make"],
  },
  {
    name: "go and make",
    files: { "go.mod": "module x", Makefile: "test:\n\ttypecheck\ntypecheck:\n" },
    setup: "go mod download",
    checks: { typecheck: "make typecheck", build: "go build ./...", lint: "go vet ./...", test: "go test ./..." },
    commands: ["git", "go", "make"],
  },
  {
    name: "cargo",
    files: { "Cargo.toml": "" },
    setup: "cargo fetch",
    checks: { build: "cargo build", test: "cargo test" },
    commands: ["git", "cargo", "rustc"],
  },
  {
    name: "maven",
    files: { "pom.xml": "", mvnw: "" },
    setup: null,
    checks: { test: "./mvnw --batch-mode --quiet test" },
    commands: ["git", "java"],
  },
  {
    name: "gradle",
    files: { "build.gradle.kts": "" },
    setup: null,
    checks: { build: "gradle assemble" },
    commands: ["git", "java", "gradle"],
  },
  {
    name: "sbt",
    files: { "build.sbt": "" },
    setup: null,
    checks: { build: "sbt compile", test: "sbt test" },
    commands: ["git", "java", "sbt"],
  },
  {
    name: "uv",
    files: { "pyproject.toml": "[tool.ruff]\n[tool.pytest.ini_options]\n[tool.mypy]\n", "uv.lock": "" },
    setup: "uv sync",
    checks: { lint: "uv run ruff check .", typecheck: "uv run mypy .", test: "uv run pytest" },
    commands: ["git", "python3", "uv"],
  },
  {
    name: "requirements",
    files: { "requirements.txt": "pytest\n" },
    setup: "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt",
    checks: { test: ".venv/bin/python -m pytest" },
    commands: ["git", "python3"],
  },
  {
    name: "tox",
    files: { "tox.ini": "[tox]\n", "setup.py": "" },
    setup: null,
    checks: { test: "python3 -m tox" },
    commands: ["git", "python3"],
  },
  {
    name: "bun",
    files: { "package.json": PACKAGE, "bun.lockb": "" },
    setup: "bun install --frozen-lockfile",
    checks: { test: "bun run test" },
    commands: ["git", "node", "bun"],
  },
  {
    name: "dotnet",
    files: { "Shop.sln": "" },
    setup: "dotnet restore",
    checks: { build: "dotnet build --no-restore", test: "dotnet test --no-restore" },
    commands: ["git", "dotnet"],
  },
  {
    name: "deno",
    files: { "deno.json": "{}" },
    setup: "deno install",
    checks: { lint: "deno lint", typecheck: "deno check .", test: "deno test --allow-all" },
    commands: ["git", "deno"],
  },
  {
    name: "deno with a task",
    files: { "deno.jsonc": '{ "tasks": { "test": "deno test -R" } }' },
    setup: "deno install",
    checks: { test: "deno task test" },
    commands: ["git", "deno"],
  },
  {
    name: "composer",
    files: { "composer.json": "{}", "phpunit.xml.dist": "", "phpstan.neon": "" },
    setup: "composer install --no-interaction",
    checks: { test: "vendor/bin/phpunit", typecheck: "vendor/bin/phpstan analyse" },
    commands: ["git", "php", "composer"],
  },
  {
    name: "composer with a script",
    files: { "composer.json": '{ "scripts": { "test": "pest" } }', "phpunit.xml": "" },
    setup: "composer install --no-interaction",
    checks: { test: "composer run test" },
    commands: ["git", "php", "composer"],
  },
  {
    name: "bundler with rspec",
    files: { Gemfile: 'gem "rspec"\ngem "rubocop"\n', Rakefile: "task :test" },
    setup: "bundle install",
    checks: { lint: "bundle exec rubocop", test: "bundle exec rspec" },
    commands: ["git", "ruby", "bundle"],
  },
  {
    name: "bundler with rake",
    files: { Gemfile: 'gem "minitest"\n', Rakefile: "Rake::TestTask.new" },
    setup: "bundle install",
    checks: { test: "bundle exec rake test" },
    commands: ["git", "ruby", "bundle"],
  },
  {
    name: "mix",
    files: { "mix.exs": "" },
    setup: "mix deps.get",
    checks: { build: "mix compile", lint: "mix format --check-formatted", test: "mix test" },
    commands: ["git", "elixir", "mix"],
  },
  {
    name: "swift",
    files: { "Package.swift": "" },
    setup: "swift package resolve",
    checks: { build: "swift build", test: "swift test" },
    commands: ["git", "swift"],
  },
  {
    name: "npm and go",
    files: { "package.json": PACKAGE, "package-lock.json": "{}", "go.mod": "module x" },
    setup: "npm ci && go mod download",
    checks: { test: "npm run test", "test-go": "go test ./...", "lint-go": "go vet ./..." },
    commands: ["git", "node", "npm", "go"],
  },
  {
    name: "cargo and a package.json without checks",
    files: { "Cargo.toml": "", "package.json": '{"scripts":{"format":"prettier"}}' },
    setup: "cargo fetch",
    checks: { build: "cargo build", test: "cargo test" },
    commands: ["git", "cargo", "rustc"],
  },
];
