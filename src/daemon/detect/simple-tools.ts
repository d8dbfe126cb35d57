export type CheckName = "build" | "lint" | "typecheck" | "test";
export type Checks = Readonly<Partial<Record<CheckName, string>>>;

/** A tool whose set-up and checks follow from the files in the root of a project. One row per tool. */
export interface SimpleTool {
  readonly language: string;
  /** Any file with such a name shows that the project uses the tool. */
  readonly file: RegExp;
  readonly setup: string | null;
  readonly checks: Checks;
  /** Checks that depend on other files. Of several with the same name, the last one applies. */
  readonly optional?: readonly OptionalCheck[];
  readonly commands: readonly string[];
  /** Builds can exceed the default timeout of a check. */
  readonly slow?: boolean;
}

export interface OptionalCheck {
  readonly check: CheckName;
  readonly command: string;
  readonly file: RegExp;
  /** Default: the file only has to exist. */
  readonly text?: RegExp;
}

export const SIMPLE_TOOLS: readonly SimpleTool[] = [
  {
    language: "Rust",
    file: /^Cargo\.toml$/,
    setup: "cargo fetch",
    checks: { build: "cargo build", test: "cargo test" },
    commands: ["cargo", "rustc"],
    slow: true,
  },
  {
    language: "Go",
    file: /^go\.mod$/,
    setup: "go mod download",
    checks: { build: "go build ./...", lint: "go vet ./...", test: "go test ./..." },
    commands: ["go"],
  },
  {
    language: ".NET",
    file: /\.(sln|slnx|csproj|fsproj|vbproj)$/,
    setup: "dotnet restore",
    checks: { build: "dotnet build --no-restore", test: "dotnet test --no-restore" },
    commands: ["dotnet"],
    slow: true,
  },
  {
    language: "Deno",
    file: /^deno\.jsonc?$/,
    setup: "deno install",
    checks: { lint: "deno lint", typecheck: "deno check .", test: "deno test --allow-all" },
    optional: [{ check: "test", command: "deno task test", file: /^deno\.jsonc?$/, text: /"test"\s*:/ }],
    commands: ["deno"],
  },
  {
    language: "PHP",
    file: /^composer\.json$/,
    setup: "composer install --no-interaction",
    checks: {},
    optional: [
      { check: "lint", command: "vendor/bin/phpcs", file: /^(phpcs|\.phpcs)\.xml(\.dist)?$/ },
      { check: "typecheck", command: "vendor/bin/phpstan analyse", file: /^phpstan\.(dist\.)?neon(\.dist)?$/ },
      { check: "test", command: "vendor/bin/phpunit", file: /^phpunit\.(dist\.)?xml(\.dist)?$/ },
      { check: "lint", command: "composer run lint", file: /^composer\.json$/, text: /"lint"\s*:/ },
      { check: "test", command: "composer run test", file: /^composer\.json$/, text: /"test"\s*:/ },
    ],
    commands: ["php", "composer"],
  },
  {
    language: "Ruby",
    file: /^Gemfile$/,
    setup: "bundle install",
    checks: {},
    optional: [
      {
        check: "lint",
        command: "bundle exec rubocop",
        file: /^(Gemfile|\.rubocop\.yml)$/,
        text: /rubocop|AllCops|Style/,
      },
      { check: "test", command: "bundle exec rake test", file: /^Rakefile$/, text: /test/i },
      { check: "test", command: "bundle exec rspec", file: /^\.rspec$/ },
      { check: "test", command: "bundle exec rspec", file: /^Gemfile$/, text: /rspec/ },
    ],
    commands: ["ruby", "bundle"],
  },
  {
    language: "Elixir",
    file: /^mix\.exs$/,
    setup: "mix deps.get",
    checks: { build: "mix compile", lint: "mix format --check-formatted", test: "mix test" },
    commands: ["elixir", "mix"],
    slow: true,
  },
  {
    language: "Swift",
    file: /^Package\.swift$/,
    setup: "swift package resolve",
    checks: { build: "swift build", test: "swift test" },
    commands: ["swift"],
    slow: true,
  },
];
