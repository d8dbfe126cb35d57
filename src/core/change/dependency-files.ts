// Manifests and lock files. A change to one brings in code that was not written or reviewed here.

/** Files that contain only dependencies. */
const WHOLE: readonly RegExp[] = [
  // npm, Yarn, pnpm, Bun, Deno
  /^(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|pnpm-workspace\.yaml|bun\.lockb?|deno\.lock|bower\.json)$/,
  /^(\.npmrc|\.yarnrc(\.yml)?|\.pnpmfile\.cjs|bunfig\.toml)$/,
  // pip, Poetry, uv, Pipenv, conda
  /^(requirements|constraints)([-_.].*)?\.(txt|in)$/,
  /^(poetry\.lock|uv\.lock|pdm\.lock|pylock(\..+)?\.toml|Pipfile|Pipfile\.lock|setup\.py|environment\.ya?ml|conda-lock\.yml|pip\.conf)$/,
  // Go
  /^(go\.mod|go\.sum|go\.work|go\.work\.sum)$/,
  // Maven, Gradle, sbt, Mill
  /^(pom\.xml|build\.gradle(\.kts)?|settings\.gradle(\.kts)?|gradle\.lockfile|libs\.versions\.toml|verification-metadata\.xml)$/,
  /^(gradle-wrapper\.(properties|jar)|maven-wrapper\.properties|build\.sbt|build\.sc|build\.mill)$/,
  // Rust, Ruby, PHP, Elixir, Dart, Swift, Objective-C
  /^(Cargo\.lock|Gemfile|Gemfile\.lock|gems\.rb|gems\.locked|composer\.lock|mix\.exs|mix\.lock|rebar\.config|rebar\.lock)$/,
  /^(pubspec\.yaml|pubspec\.lock|Package\.swift|Package\.resolved|Podfile|Podfile\.lock|Cartfile|Cartfile\.resolved)$/,
  /\.(gemspec|podspec|cabal|nimble|rockspec|opam)$/,
  // .NET
  /^(packages\.config|packages\.lock\.json|paket\.dependencies|paket\.lock|Directory\.Packages\.props|nuget\.config)$/i,
  /\.(cs|fs|vb)proj$/,
  // Nix, Bazel, C and C++, Haskell, Terraform
  /^(flake\.nix|flake\.lock|default\.nix|shell\.nix|MODULE\.bazel|MODULE\.bazel\.lock|WORKSPACE(\.bazel)?)$/,
  /^(conanfile\.(txt|py)|conan\.lock|vcpkg\.json|stack\.yaml|stack\.yaml\.lock|\.terraform\.lock\.hcl|\.tool-versions|mise\.toml)$/,
];

/** Files that contain other things, too: the sections that list dependencies. */
const PARTS: readonly { readonly file: RegExp; readonly kind: "json" | "headed"; readonly part: RegExp }[] = [
  {
    file: /^package\.json$/,
    kind: "json",
    part: /^$|dependencies$|^(overrides|resolutions|packageManager|workspaces|pnpm|catalogs?|allowScripts|bundledDependencies)$/i,
  },
  {
    file: /^(composer|deno|jsr)\.jsonc?$/,
    kind: "json",
    part: /^$|^(require|require-dev|replace|repositories|conflict|imports|dependencies)$/,
  },
  {
    file: /^pyproject\.toml$/,
    kind: "headed",
    part: /dependenc|^(build-system|project|project\.optional-dependencies|dependency-groups)$|^tool\.(poetry|pdm|uv|hatch)(\.|$)/,
  },
  { file: /^Cargo\.toml$/, kind: "headed", part: /dependencies|^(patch|replace|workspace)(\.|$)/ },
  { file: /^setup\.cfg$/, kind: "headed", part: /^options(\.|$)/ },
];

const SBT_PROJECT = /(^|\/)project\/([^/]+\.sbt|build\.properties|Dependencies\.scala)$/;

export interface DependencySection {
  readonly kind: "whole" | "json" | "headed" | "image";
  readonly part: RegExp;
}

/** Returns null for a file that lists no dependencies. */
export function findDependencySection(path: string): DependencySection | null {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const parts = PARTS.find((known) => known.file.test(name));
  if (parts) return parts;
  if (WHOLE.some((known) => known.test(name)) || SBT_PROJECT.test(path)) return { kind: "whole", part: /(?:)/ };
  // The base image of a container is a dependency; the rest of the file is not.
  if (/^(Dockerfile|Containerfile)(\..+)?$|\.(Dockerfile|Containerfile)$/i.test(name))
    return { kind: "image", part: /(?:)/ };
  return null;
}
