import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { findPrograms, excludeCovered } from "./find-programs.ts";
import { mountOptions } from "../bubblewrap/mount-plan.ts";
import { systemMounts } from "../bubblewrap/system-mounts.ts";

// Without the test runner's additions, so that the machine's own Node is found.
const HOST_PATH = (process.env["PATH"] ?? "/usr/bin:/bin")
  .split(":")
  .filter((folder) => !folder.includes("node_modules"))
  .join(":");
const REPO_NODE = resolve(import.meta.dirname, "../../../../node_modules/.bin/node");
const IS_ROOT = process.getuid?.() === 0;
const CAN_CONFINE = existsSync("/usr/bin/bwrap");

let dir: string;

beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "programs-")));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(dir, { recursive: true, force: true });
});

function write(name: string, text = "", mode = 0o755): string {
  const path = join(dir, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

function link(name: string, target: string): string {
  const path = join(dir, name);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
  return path;
}

const find = (names: readonly string[], folders: readonly string[] = []) =>
  findPrograms(names, [...folders.map((folder) => join(dir, folder)), HOST_PATH].join(":"));
const pathsOf = (names: readonly string[], folders: readonly string[] = []) =>
  find(names, folders)
    .mounts.map(({ path }) => path)
    .filter((path) => path.startsWith(dir))
    .map((path) => path.slice(dir.length + 1));

/** An empty root with the system libraries and the mounts that were found, as a user who owns none of it. */
function runInside(found: ReturnType<typeof find>, argv: readonly string[]) {
  const system = systemMounts(false);
  const shell = findPrograms(["sh", "/usr/bin/setpriv"], HOST_PATH).mounts;
  const inside = excludeCovered(
    [...shell, ...found.mounts],
    system.map(({ path }) => path),
  );
  const spaces = IS_ROOT ? ["--unshare-pid", "--unshare-net"] : ["--unshare-all"];
  const drop = IS_ROOT ? "/usr/bin/setpriv --reuid 54321 --regid 54321 --clear-groups --".split(" ") : [];
  const kernel = "--die-with-parent --tmpfs / --proc /proc --dev /dev --chdir /".split(" ");
  const env = ["--clearenv", "--setenv", "PATH", found.binDirs.join(":"), "--setenv", "HOME", "/nowhere"];
  const mounts = mountOptions([...new Map([...system, ...inside].map((mount) => [mount.path, mount])).values()]);
  const { stdout, stderr } = spawnSync("/usr/bin/bwrap", [...spaces, ...kernel, ...mounts, ...env, ...drop, ...argv], {
    encoding: "utf8",
    timeout: 20_000,
  });
  return stdout.trim() === "" ? stderr.trim() : stdout.trim();
}

describe.runIf(CAN_CONFINE)("findPrograms: with only the found mounts", () => {
  test("programs of the host run", () => {
    const found = find(["git", "node", "npm", "python3", "no-such-sbt compile"]);
    expect(found.missing).toEqual([{ name: "no-such-sbt", why: "is not on this machine's PATH" }]);
    expect(runInside(found, ["git", "--version"])).toMatch(/^git version/);
    expect(runInside(found, ["node", "--version"])).toMatch(/^v\d+/);
    expect(runInside(found, ["npm", "--version"])).toMatch(/^\d+\./);
    expect(runInside(found, ["python3", "-c", "import json; print(json.dumps([1]))"])).toBe("[1]");
  });

  test("programs that are not listed do not exist under any path", () => {
    const found = find(["git"]);
    for (const name of ["curl", "/usr/bin/curl", "/bin/curl", "/usr/bin/env"]) {
      expect(runInside(found, ["sh", "-c", `${name} --version`])).toContain("not found");
    }
  });

  test("the Node of this repository runs", () => {
    expect(runInside(find([REPO_NODE]), [REPO_NODE, "-p", "1 + 1"])).toBe("2");
  });

  test("a program in a private folder runs", () => {
    const tool = write("closed/node_modules/tool/bin/tool", "#!/bin/sh\necho open\n");
    link("closed/node_modules/.bin/tool", "../tool/bin/tool");
    chmodSync(join(dir, "closed"), 0o700);
    expect(runInside(find([tool]), [join(dir, "closed/node_modules/.bin/tool")])).toBe("open");
  });

  test("a bash script started through env runs", () => {
    write("bin/hello", "#!/usr/bin/env bash\nwords=(hello there); echo ${words[1]}\n");
    const found = find(["hello"], ["bin"]);
    expect(runInside(found, ["hello"])).toBe("there");
    expect(runInside(find(["git"], ["bin"]), ["sh", "-c", "hello"])).toContain("not found");
  });

  test.each([
    ["globally", "prefix/lib/node_modules/cli", "prefix/lib/node_modules/cli/node_modules/dep"],
    ["in a project", "prefix/node_modules/cli", "prefix/node_modules/dep"],
  ])("an npm package that is installed %s runs with its dependency", (_, cli, dep) => {
    write(`${cli}/package.json`, '{ "name": "cli", "type": "module" }');
    write(`${cli}/bin/cli.js`, '#!/usr/bin/env node\nimport { word } from "dep"; console.log(word);\n');
    write(`${dep}/package.json`, '{ "name": "dep", "type": "module", "exports": "./index.js" }');
    write(`${dep}/index.js`, 'export const word = "depended";\n');
    link("prefix/bin/cli", join(dir, cli, "bin/cli.js"));
    expect(runInside(find(["cli"], ["prefix/bin"]), ["cli"])).toBe("depended");
  });

  test("a version manager's shim leads to its version, without the manager", () => {
    write("env/shims/snake", `#!/usr/bin/env bash\nexec "${dir}/env/libexec/pyenv" exec "$program" "$@"\n`);
    write("env/version", "2.0\n1.0\n");
    write("env/versions/1.0/bin/snake", '#!/bin/sh\nread word < "${0%/*}/../lib/word"; echo "$word"\n');
    write("env/versions/1.0/lib/word", "hiss\n");
    const found = find(["snake"], ["env/shims"]);
    expect(found.programs).toEqual([{ name: "snake", path: join(dir, "env/shims/snake") }]);
    expect(runInside(found, [join(dir, "env/versions/1.0/bin/snake")])).toBe("hiss");
  });

  test.runIf(existsSync("/etc/alternatives/java"))("Java runs with its settings in /etc", () => {
    expect(runInside(find(["java"]), ["sh", "-c", "java -version 2>&1"])).toMatch(/version/);
  });
});

describe("findPrograms: files that belong to a program", () => {
  test("include every link on its path", () => {
    write("real/tool.bin", "#!/bin/sh\n");
    link("folder", "real");
    link("bin/tool", "../folder/tool");
    link("real/tool", "tool.bin");
    const own = find(["tool"], ["bin"]).mounts.filter(({ path }) => path.startsWith(dir));
    expect(own).toEqual([
      { kind: "link", path: join(dir, "bin/tool"), target: "../folder/tool" },
      { kind: "link", path: join(dir, "folder"), target: "real" },
      { kind: "link", path: join(dir, "real/tool"), target: "tool.bin" },
      { kind: "read", path: join(dir, "real/tool.bin") },
    ]);
  });

  test("include a toolchain without its other programs and unrelated files", () => {
    for (const name of ["bin/node", "bin/npx", "lib/x", "include/x", ".env", "secrets/x", "sbin/x"])
      write(`chain/${name}`);
    expect(pathsOf(["node"], ["chain/bin"])).toEqual(["chain/bin/node", "chain/include", "chain/lib"]);
  });

  test.each(["bin/tool", ".local/bin/tool", ".cargo/bin/tool"])(
    "are only the program itself for %s in a home directory",
    (name) => {
      vi.stubEnv("HOME", dir);
      write(name);
      for (const part of ["lib/x", "share/x", ".local/share/x", ".local/lib/x", ".cargo/lib/x"]) write(part);
      expect(pathsOf(["tool"], [dirname(name)])).toEqual([name]);
    },
  );

  test("do not include neighbours of an npm binary", () => {
    write("node_modules/tool/package.json", "{}");
    write("node_modules/tool/run", "\u007fELF");
    write("node_modules/other/x");
    link("node_modules/.bin/tool", "../tool/run");
    expect(pathsOf(["tool"], ["node_modules/.bin"])).toEqual(["node_modules/.bin/tool", "node_modules/tool"]);
  });

  test("a path may contain a space, and words may follow a program", () => {
    const path = write("my tools/run");
    expect(find([path, `${write("bin/run")} fast`]).programs.map((each) => each.path)).toEqual([
      path,
      join(dir, "bin/run"),
    ]);
  });

  test("PATH inside contains only the found folders, in order and without relative ones", () => {
    write("one/a");
    write("two/b");
    write("three/c");
    const path = [join(dir, "two"), "relative", "", join(dir, "three"), join(dir, "one")].join(":");
    expect(findPrograms(["a", "b"], path).binDirs).toEqual([join(dir, "two"), join(dir, "one")]);
  });

  test("companion programs are included if they exist", () => {
    for (const name of ["cargo", "rustc", "cc"]) write(`bin/${name}`);
    const { mounts, missing } = findPrograms(["cargo"], join(dir, "bin"));
    expect(mounts.map(({ path }) => path)).toEqual(["cargo", "cc", "rustc"].map((name) => join(dir, "bin", name)));
    expect(missing).toEqual([]);
  });
});

/** Returns the target of the link that replaces a shim inside. */
const leadsTo = (name: string, folder: string) =>
  find([name], [folder]).mounts.flatMap((mount) =>
    mount.kind === "link" && mount.path === join(dir, folder, name) ? [mount.target.slice(dir.length + 1)] : [],
  );

describe("findPrograms: shims", () => {
  test("of rustup lead to the default toolchain", () => {
    write(".cargo/bin/rustup");
    link(".cargo/bin/cargo", "rustup");
    write(".rustup/settings.toml", 'version = "12"\ndefault_toolchain = "stable"\n');
    write(".rustup/toolchains/nightly-x/bin/cargo");
    write(".rustup/toolchains/stable-x/bin/cargo");
    expect(leadsTo("cargo", ".cargo/bin")).toEqual([".rustup/toolchains/stable-x/bin/cargo"]);
  });

  test("of asdf lead to the version that the user chose", () => {
    vi.stubEnv("HOME", dir);
    write(".tool-versions", "other 1\nlang 1.0\n");
    write(
      ".asdf/shims/lang",
      '#!/usr/bin/env bash\n# asdf-plugin: lang 1.0\n# asdf-plugin: lang 2.0\nexec asdf exec "lang" "$@"\n',
    );
    for (const version of ["1.0", "2.0"]) write(`.asdf/installs/lang/${version}/bin/lang`);
    expect(leadsTo("lang", ".asdf/shims")).toEqual([".asdf/installs/lang/1.0/bin/lang"]);
  });

  test("of mise lead to the newest version", () => {
    write("mise/bin/mise");
    link("mise/shims/lang", "../bin/mise");
    for (const version of ["9.0", "10.0"]) write(`mise/installs/lang/${version}/bin/lang`);
    expect(leadsTo("lang", "mise/shims")).toEqual(["mise/installs/lang/10.0/bin/lang"]);
  });

  test("of volta lead to its default version", () => {
    write(".volta/bin/volta-shim");
    link(".volta/bin/node", "volta-shim");
    write(".volta/tools/user/platform.json", '{ "node": { "runtime": "22.1.0" } }');
    for (const version of ["22.1.0", "24.0.0"]) write(`.volta/tools/image/node/${version}/bin/node`);
    expect(leadsTo("node", ".volta/bin")).toEqual([".volta/tools/image/node/22.1.0/bin/node"]);
  });

  test("without a target are skipped, or the reason says what to do", () => {
    write("env/shims/snake", '#!/usr/bin/env bash\nexec "/x/libexec/pyenv" exec "$program" "$@"\n');
    write("env/version", "system\n");
    expect(find(["snake"], ["env/shims"]).missing).toEqual([
      { name: "snake", why: expect.stringContaining("`pyenv global <version>`") },
    ]);
    const next = write("bin/snake");
    expect(find(["snake"], ["env/shims", "bin"]).programs).toEqual([{ name: "snake", path: next }]);
  });
});

describe("findPrograms: missing programs", () => {
  test.each([
    ["relative/tool", "neither a name nor an absolute path"],
    ["/no/such/tool", "does not exist as a program"],
    ["no-such-tool-anywhere", "not on this machine's PATH"],
  ])("%s", (name, why) => {
    expect(find([name]).missing).toEqual([{ name, why: expect.stringContaining(why) }]);
  });

  test("a script with a missing interpreter is missing, and nothing of it is mounted", () => {
    write("bin/old", "#!/usr/bin/env cobol-of-old\n");
    const found = findPrograms(["old"], join(dir, "bin"));
    expect(found).toEqual({
      programs: [],
      mounts: [],
      binDirs: [],
      missing: [{ name: "old", why: "needs cobol-of-old, which is not on this machine's PATH" }],
    });
  });

  test("a link that leads to itself, a directory and a file that cannot be executed", () => {
    link("bin/loop", "loop");
    mkdirSync(join(dir, "bin/folder"));
    write("bin/text", "", 0o644);
    expect(find(["loop", "folder", "text"], ["bin"]).missing.map(({ name }) => name)).toEqual([
      "loop",
      "folder",
      "text",
    ]);
  });

  test("a file without execute permission is reported by name and by path", () => {
    const path = write("bin/agent", "#!/bin/sh\n", 0o644);
    const why = `is not executable: chmod +x ${path}`;
    expect(find(["agent", path], ["bin"]).missing).toEqual([
      { name: "agent", why },
      { name: path, why },
    ]);
    const other = write("other/agent", "#!/bin/sh\n");
    expect(find(["agent"], ["bin", "other"]).programs).toEqual([{ name: "agent", path: other }]);
  });

  test("a script that is its own interpreter ends the search", () => {
    const path = write("bin/self", `#!${join(dir, "bin/self")}\n`);
    expect(find(["self"], ["bin"]).programs).toEqual([{ name: "self", path }]);
  });

  test.runIf(IS_ROOT)("a program that only root may run, because no command is root inside", () => {
    const path = write("bin/mine", "", 0o700);
    expect(find(["mine"], ["bin"]).missing[0]?.why).toContain(`chmod o+rx ${path}`);
  });
});
