import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isProgram } from "../grants/is-program.ts";
import { knownHomes } from "../grants/known-homes.ts";
import { listDirectory } from "../grants/list-directory.ts";
import { readStart } from "../grants/read-interpreter.ts";

/** The program behind a version manager's shim, or the reason why there is none. */
export type Shim = { readonly target: string } | { readonly why: string };

/**
 * Version managers put shims on PATH that choose the version when called, using settings that do not exist inside the
 * sandbox. So this looks up the global default version. Returns null if the program is not a shim.
 */
export function followShim(path: string, real: string): Shim | null {
  if (basename(real) === "rustup" && basename(path) !== "rustup") return rustup(path, real);
  if (basename(real).startsWith("volta-shim")) return volta(path);
  if (basename(real) === "snap" || path.startsWith("/snap/bin/")) {
    return { why: "is a snap, which needs a service outside the sandbox; install it in another way" };
  }
  if (basename(dirname(path)) !== "shims") return null;
  if (basename(real) === "mise") return mise(path);
  const text = readStart(real, 4_096);
  if (/\basdf(?:"|')? exec\b/.test(text)) return asdf(path, text);
  const manager = /\b([a-z]+env)(?:"|')? exec\b/.exec(text)?.[1];
  return manager === undefined ? null : envLike(path, manager);
}

/** pyenv, rbenv, nodenv, goenv: the file `version` names one or more directories of `versions`. */
function envLike(path: string, manager: string): Shim {
  const root = dirname(dirname(path));
  const versions = readText(join(root, "version"))
    .split(/[\s:]+/)
    .filter((each) => each !== "");
  return chooseFirstProgram(
    versions.map((version) => join(root, "versions", version, "bin", basename(path))),
    `is a shim of ${manager}, but no version named in ${join(root, "version")} has it; choose one with \`${manager} global <version>\``,
  );
}

/** The shim lists the versions that have the program; the user's .tool-versions chooses one. */
function asdf(path: string, text: string): Shim {
  const root = dirname(dirname(path));
  const offered = [...text.matchAll(/^# asdf-plugin: (\S+) (\S+)/gm)].map(([, plugin = "", version = ""]) => ({
    plugin,
    version,
  }));
  const chosen = knownHomes()
    .flatMap((home) => readText(join(home, ".tool-versions")).split("\n"))
    .map((line) => line.trim().split(/\s+/));
  const isChosen = ({ plugin, version }: { plugin: string; version: string }): boolean =>
    chosen.some(([name, ...versions]) => name === plugin && versions.includes(version));
  return chooseFirstProgram(
    [...offered.filter(isChosen), ...offered.toReversed()].map(({ plugin, version }) =>
      join(root, "installs", plugin, version, "bin", basename(path)),
    ),
    "is a shim of asdf, but none of its versions is installed",
  );
}

function mise(path: string): Shim {
  const installs = join(dirname(dirname(path)), "installs");
  const candidates = listDirectory(installs).flatMap((tool) =>
    ["latest", ...newestFirst(listDirectory(join(installs, tool)))].map((version) =>
      join(installs, tool, version, "bin", basename(path)),
    ),
  );
  return chooseFirstProgram(candidates, "is a shim of mise, but no installed version has it");
}

function volta(path: string): Shim {
  const tools = join(dirname(dirname(path)), "tools");
  const images = join(tools, "image");
  const node = /"runtime"\s*:\s*"([^"]+)"/.exec(readText(join(tools, "user", "platform.json")))?.[1];
  const owner = /"package"\s*:\s*"([^"]+)"/.exec(readText(join(tools, "user", "bins", `${basename(path)}.json`)))?.[1];
  const folders = [
    ...(owner === undefined ? [] : [join(images, "packages", owner)]),
    ...(node === undefined ? [] : [join(images, "node", node)]),
    ...["npm", "yarn", "pnpm"].flatMap((tool) =>
      newestFirst(listDirectory(join(images, tool))).map((version) => join(images, tool, version)),
    ),
  ];
  return chooseFirstProgram(
    folders.map((folder) => join(folder, "bin", basename(path))),
    "is a shim of volta, but the default version does not have it",
  );
}

/** `cargo`, `rustc` and others are links to rustup, which calls the program of the default toolchain. */
function rustup(path: string, real: string): Shim {
  const homes = [dirname(dirname(dirname(real))), ...knownHomes()];
  const candidates = homes.flatMap((person) => {
    const home = join(person, ".rustup");
    const chosen = /^default_toolchain\s*=\s*"([^"]+)"/m.exec(readText(join(home, "settings.toml")))?.[1];
    const toolchains = join(home, "toolchains");
    return chosen === undefined
      ? []
      : listDirectory(toolchains)
          .filter((name) => name === chosen || name.startsWith(`${chosen}-`))
          .map((name) => join(toolchains, name, "bin", basename(path)));
  });
  return chooseFirstProgram(candidates, "is a shim of rustup, but the default toolchain does not have it");
}

function chooseFirstProgram(candidates: readonly string[], why: string): Shim {
  const target = candidates.find(isProgram);
  return target === undefined ? { why } : { target };
}

function newestFirst(versions: readonly string[]): readonly string[] {
  return versions.toSorted((a, b) => b.localeCompare(a, "en", { numeric: true }));
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
