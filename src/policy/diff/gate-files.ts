import { nameOf } from "./changed-file.ts";

// Files that define what is checked and how strictly.

export type GateKind = "ci" | "own" | "hook" | "runner" | "script";

const OWN = /^(nightshift\.ya?ml|\.nightshift\/.*)$/;

const CI: readonly RegExp[] = [
  /^\.(github\/(workflows|actions)|circleci|buildkite|woodpecker|gitlab|drone|teamcity|semaphore|forgejo\/workflows|gitea\/workflows|ci)\//,
  /(^|\/)(\.gitlab-ci|\.travis|\.drone|\.woodpecker|\.cirrus|\.appveyor|appveyor|azure-pipelines|bitbucket-pipelines|cloudbuild|codecov|\.codecov|buildspec)[^/]*\.ya?ml$/,
  /(^|\/)(action\.ya?ml|Jenkinsfile[^/]*|\.builds?\.ya?ml)$/,
];

const HOOKS: readonly RegExp[] = [
  /^\.(husky|githooks|git-hooks)\//,
  /(^|\/)(\.pre-commit-config\.yaml|\.pre-commit-hooks\.yaml|lefthook\.ya?ml|\.lefthook\.ya?ml|\.overcommit\.yml|\.lintstagedrc[^/]*|lint-staged\.config\.[cm]?[jt]s)$/,
];

const RUNNERS: readonly RegExp[] = [
  // JavaScript and TypeScript
  /^(vitest|jest|karma|ava|playwright|cypress|wdio|nyc|c8|stryker|babel|vite|web-test-runner)(\.[\w-]+)*\.(conf(ig)?\.)?([cm]?[jt]s|json)$/,
  /^(vitest\.workspace|jest\.setup|vitest\.setup|setupTests|\.mocharc|\.nycrc|\.c8rc|\.taprc|\.jestrc|\.babelrc)[^/]*$/,
  /^(tsconfig[^/]*\.json|\.eslintrc[^/]*|eslint\.config\.[cm]?[jt]s|\.eslintignore|biome\.jsonc?|\.?oxlintrc\.json|\.oxfmtrc\.json|knip\.jsonc?|\.dependency-cruiser\.[cm]?js|\.prettierrc[^/]*|prettier\.config\.[cm]?js|\.prettierignore|deno\.jsonc?|turbo\.json|nx\.json)$/,
  // Package managers: a script shell, a program or a module that they load
  /^(\.npmrc|\.yarnrc(\.ya?ml)?|\.pnpmfile\.[cm]?js|bunfig\.toml)$/,
  // Python
  /^(sitecustomize|usercustomize)\.py$/,
  /^(pytest\.ini|\.pytest\.ini|tox\.ini|noxfile\.py|conftest\.py|\.coveragerc|mypy\.ini|\.mypy\.ini|\.?ruff\.toml|\.flake8|\.pylintrc|pylintrc|pyrightconfig\.json|\.bandit|\.isort\.cfg)$/,
  // Go
  /^(\.golangci\.(ya?ml|toml|json)|\.testcoverage\.ya?ml|staticcheck\.conf|\.gotestsum[^/]*)$/,
  // Java, Kotlin, Scala
  /^(pom\.xml|build\.gradle(\.kts)?|build\.sbt|build\.sc|checkstyle[^/]*\.xml|pmd[^/]*\.xml|spotbugs[^/]*\.xml|detekt[^/]*\.ya?ml|testng[^/]*\.xml|junit-platform\.properties|\.scalafix\.conf|\.scalafmt\.conf|\.jvmopts|\.sbtopts|lombok\.config|gradle\.properties|settings\.gradle(\.kts)?|\.bazelrc)$/,
  // Rust
  /^(clippy\.toml|\.clippy\.toml|rustfmt\.toml|\.rustfmt\.toml|nextest\.toml|tarpaulin\.toml|\.tarpaulin\.toml|deny\.toml|rust-toolchain(\.toml)?|build\.rs)$/,
  // PHP, Ruby, .NET, and files of any project
  /^(phpunit\.xml(\.dist)?|phpstan\.neon(\.dist)?|psalm\.xml|\.rspec|\.rubocop\.yml|\.simplecov|Rakefile|[^/]*\.runsettings|Directory\.Build\.(props|targets))$/,
  /^(sonar-project\.properties|\.editorconfig|\.gitattributes|Taskfile\.ya?ml|[Jj]ustfile|Earthfile|docker-compose\.test\.ya?ml)$/,
];

const RUNNER_PATH =
  /(^|\/)(\.(cargo|config)\/(config|nextest)(\.toml)?|\.mvn\/.*|gradle\/wrapper\/.*|project\/(.*\.sbt|build\.properties))$/;

const SCRIPT =
  /(^|\/)(scripts?|ci|tools?|bin|build|hack)\/([^/]*\/)*[^/]*(test|check|lint|verify|coverage|validate|^ci)[^/]*\.(sh|bash|zsh|[cm]?[jt]s|py|rb|pl|ps1|mk)$/i;

/** Installed programs that checks start. They are usually ignored, so a change contains them only on purpose. */
const INSTALLED = /(^|\/)(node_modules|\.venv|__pypackages__|\.yarn\/(releases|plugins|sdks))\//;

/** Classifies a file by its name. Null if it is not a gate. */
export function gateKind(path: string): GateKind | null {
  if (OWN.test(path)) return "own";
  if (CI.some((known) => known.test(path))) return "ci";
  if (HOOKS.some((known) => known.test(path))) return "hook";
  const name = nameOf(path);
  if (RUNNER_PATH.test(path) || RUNNERS.some((known) => known.test(name))) return "runner";
  if (INSTALLED.test(path)) return "script";
  // A test is not a gate, even if it is next to the scripts it tests.
  if (SCRIPT.test(path) && !/[._](test|spec)\.[^.]+$/.test(path)) return "script";
  return null;
}

/** Gates inside files that also contain other things. */
export const GATE_PARTS: readonly { readonly file: RegExp; readonly kind: "json" | "headed"; readonly part: RegExp }[] =
  [
    {
      file: /^package\.json$/,
      kind: "json",
      part: /^$|^(jest|ava|mocha|nyc|c8|tap|vitest|eslintConfig|eslintIgnore|prettier|babel|lint-staged|husky|pre-commit|xo)$/,
    },
    {
      file: /^pyproject\.toml$/,
      kind: "headed",
      part: /^tool\.(?!poetry|pdm|uv|hatch|setuptools|flit)|^tool\.hatch\.envs/,
    },
    {
      file: /^setup\.cfg$/,
      kind: "headed",
      part: /^(tool:pytest|flake8|mypy|pylint|pycodestyle|isort|aliases)|^(coverage|mypy|pylint|tox)/,
    },
    { file: /^Cargo\.toml$/, kind: "headed", part: /^(lints|workspace\.lints|profile|test|bench)(\.|$)|^lib$/ },
  ];
