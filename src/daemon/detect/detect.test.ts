import { chmod, mkdir, realpath, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTempDir, createTempRepo, git, writeFiles, type Files, type TempDir } from "../../testing/temp-repo.ts";
import { locateProject } from "../locate-project.ts";
import { renderInitConfig } from "./detect-render.ts";
import { detectAgents, detectForge, detectProject } from "./detect.ts";
import { REGISTRY } from "../wire/registry.ts";
import { DETECTED_TOOLS, PACKAGE } from "./detected-tools.suite.ts";

let dir: TempDir;
beforeEach(async () => {
  dir = await createTempDir();
});
afterEach(() => dir.remove());

const env = { PATH: process.env["PATH"], HOME: "/nonexistent" };
const detect = (path: string) => detectProject(path, { env });

async function makeRepo(files: Files = { "README.md": "x" }): Promise<string> {
  const path = join(await realpath(dir.path), "shop");
  await git(dir.path, "init", "--quiet", "--initial-branch=trunk", path);
  await writeFiles(path, files);
  await git(path, "add", "--all");
  await git(path, "commit", "--quiet", "--allow-empty", "--message=first");
  return path;
}

describe("detectProject", () => {
  it("finds the remote and its default branch from any folder and on any branch", async () => {
    const repo = await createTempRepo({ "src/a.txt": "a" });
    try {
      const clone = join(await realpath(dir.path), "My Shop!");
      await git(dir.path, "clone", "--quiet", repo.remote, clone);
      await git(clone, "checkout", "--quiet", "-b", "work");
      await writeFile(join(clone, "dirty.txt"), "untouched");
      const found = await detect(join(clone, "src"));
      expect(found).toMatchObject({
        dir: clone,
        name: "My-Shop",
        remote: repo.remote,
        defaultBranch: "main",
        shallow: false,
        detached: false,
        forge: null,
      });
    } finally {
      await repo.remove();
    }
  });

  it("uses the checkout itself and its branch if there is no remote", async () => {
    const path = await makeRepo();
    expect(await detect(path)).toMatchObject({ remote: path, defaultBranch: "trunk" });
  });

  it("uses origin or the only remote, resolves relative paths, and ignores several other remotes", async () => {
    const path = await makeRepo();
    await git(path, "remote", "add", "upstream", "../bare.git");
    expect((await detect(path)).remote).toBe(join(path, "../bare.git"));
    await git(path, "remote", "add", "fork", "https://example.com/x.git");
    expect((await detect(path)).remote).toBe(path);
    await git(path, "remote", "add", "origin", "git@github.com:me/shop.git");
    expect(await detect(path)).toMatchObject({
      remote: "git@github.com:me/shop.git",
      forge: { kind: "github", project: "me/shop" },
    });
  });

  it("rejects a remote that would start a program", async () => {
    const path = await makeRepo();
    await git(path, "remote", "add", "origin", "ext::sh -c touch% pwned");
    await expect(detect(path)).rejects.toThrow(/The remote origin is `ext::sh/);
  });

  it("detects shallow and detached checkouts", async () => {
    const path = await makeRepo();
    await git(path, "commit", "--quiet", "--allow-empty", "--message=second");
    const clone = join(dir.path, "shallow");
    await git(dir.path, "clone", "--quiet", "--depth=1", `file://${path}`, clone);
    await git(clone, "checkout", "--quiet", "--detach");
    expect(await detect(clone)).toMatchObject({ shallow: true, detached: true, defaultBranch: "trunk" });
    await git(path, "checkout", "--quiet", "--detach");
    await expect(detect(path)).rejects.toThrow(/No branch is checked out/);
  });

  it("explains why a folder is not a usable checkout", async () => {
    await expect(detect(dir.path)).rejects.toThrow(/is not inside a git repository/);
    await expect(detect(join(dir.path, "nowhere"))).rejects.toThrow(/could not be started/);
    // The system reports a missing program like this if a directory of PATH cannot be searched.
    await mkdir(join(dir.path, "bin/git"), { recursive: true });
    await expect(detectProject(dir.path, { env: { PATH: join(dir.path, "bin") } })).rejects.toThrow(
      /could not be started/,
    );
    await git(dir.path, "init", "--quiet", "--bare", "bare.git");
    await expect(detect(join(dir.path, "bare.git"))).rejects.toThrow(/is a bare repository/);
    await git(dir.path, "init", "--quiet", "empty");
    await expect(detect(join(dir.path, "empty"))).rejects.toThrow(/has no commits yet/);
    await expect(detect(join(dir.path, "empty/.git"))).rejects.toThrow(/inside a git directory/);
  });

  it("ignores GIT_DIR and starts no program that the repository configures", async () => {
    const path = await makeRepo();
    const trap = join(path, "trap.sh");
    await writeFile(trap, `#!/bin/sh\ntouch ${join(dir.path, "sprung")}\n`);
    await chmod(trap, 0o755);
    await git(path, "config", "core.fsmonitor", trap);
    await git(path, "config", "core.hooksPath", path);
    const found = await detectProject(path, { env: { ...env, GIT_DIR: "/nonexistent" } });
    expect(found.dir).toBe(path);
    await expect(realpath(join(dir.path, "sprung"))).rejects.toThrow(/ENOENT/);
  });

  it.each(["$(touch${IFS}owned)", "`id`", "a;id", "a'b", "a&b", "a\u202eb", "a{b,c}"])(
    "refuses the default branch %j",
    async (branch) => {
      const path = await makeRepo();
      await git(path, "checkout", "--quiet", "-b", branch);
      await expect(detect(path)).rejects.toThrow("The default branch has an unsafe name.");
    },
  );

  it("names a project after its URL, without characters that a shell interprets", async () => {
    const url = "https://example.com/team/$(touch x).git";
    expect(await locateProject({ kind: "url", url }, env, REGISTRY)).toMatchObject({ name: "touch-x", remote: url });
  });

  it("finds every agent that has its own program", async () => {
    const bin = join(dir.path, "bin");
    await mkdir(bin);
    for (const program of ["claude", "codex", "gemini", "qwen", "opencode", "cursor-agent", "aider"]) {
      await writeFile(join(bin, program), "");
      await chmod(join(bin, program), 0o755);
    }
    const found = ["claude-code", "codex", "gemini", "qwen", "opencode", "cursor", "aider"];
    expect(await detectAgents({ PATH: bin }, REGISTRY.agents)).toEqual(found);
  });

  it("finds agents only in absolute folders on PATH", async () => {
    const path = await makeRepo();
    const bin = join(dir.path, "bin");
    await mkdir(bin);
    for (const name of ["codex", "cursor-agent", "gemini"])
      await writeFile(join(bin, name), "", { mode: name === "gemini" ? 0o644 : 0o755 });
    const found = await detectProject(path, { env: { ...env, PATH: `${bin}:.:${env.PATH}` } });
    expect(found.agents.filter((agent) => ["codex", "cursor", "gemini"].includes(agent))).toEqual(["codex", "cursor"]);
  });
});

describe("detectTools and renderInitConfig", () => {
  it.each(DETECTED_TOOLS)("set up a project with $name", async ({ files, setup, checks, commands }) => {
    const path = await makeRepo(files);
    await git(path, "remote", "add", "origin", "https://gitlab.example.com/team/shop.git");
    const detected = await detect(path);
    expect(detected.tools).toMatchObject({ setup, checks, commands });
    if (Object.keys(checks).length === 0) expect(detected.tools.checks).toEqual({});
    const text = renderInitConfig(detected);
    const { written } = REGISTRY.format.parseProject(text, "nightshift.yaml");
    expect(written).toMatchObject({
      project: "shop",
      default_branch: "trunk",
      sandbox: { commands },
      gates: { plan: "person", merge: "person" },
      forge: {
        kind: "gitlab",
        url: "https://gitlab.example.com",
        project: "team/shop",
        token_env: "GITLAB_TOKEN",
      },
    });
    expect(written.improve).toBeUndefined();
    expect(written.workspace?.setup ?? null).toBe(setup);
    const commandsOf = Object.fromEntries(
      Object.entries(written.checks ?? {}).map(([name, check]) => [name, check.command]),
    );
    expect(commandsOf).toEqual(detected.tools.checks);
    const related = Object.entries(written.checks ?? {}).flatMap(([name, check]) =>
      check.related === undefined ? [] : [[name, check.related]],
    );
    expect(Object.fromEntries(related)).toEqual(detected.tools.related);
    // The commented-out keys must be valid too.
    const uncommented = text
      .replaceAll(/^# (?=(improve|fallback_agent|agent|checks|workspace):( \w|$))/gm, "")
      .replaceAll(/^# (?=  (test|network|schedule|categories):)/gm, "");
    const { improve, sandbox } = REGISTRY.format.parseProject(uncommented, "uncommented").written;
    expect(improve).toMatchObject({ schedule: "0 2 * * 1-5", categories: { monday: ["tests"], wednesday: ["docs"] } });
    expect(sandbox).toEqual({ commands, ...(setup !== null && { network: ["packages.example.com"] }) });
  });

  it("quotes values that YAML would read differently", async () => {
    const found = await detect(await makeRepo());
    for (const defaultBranch of ["feat/#1: {x}", "$(x)`y`", "a\u0085b\u202ec\u{e0041}\u007f", "naïve/日本"]) {
      const text = renderInitConfig({ ...found, name: "true", defaultBranch });
      expect(text).toMatch(/^[\n\p{L}\p{N}\p{P}\p{S} ]*$/u);
      const { written } = REGISTRY.format.parseProject(text, "n");
      expect(written).toMatchObject({ project: "true", default_branch: defaultBranch });
    }
  });

  it("sets no agent if config.yaml already does", async () => {
    const path = await makeRepo();
    const home = join(dir.path, "home");
    await mkdir(home);
    await writeFile(join(home, "config.yaml"), "agent: mine\nagents: { mine: { kind: command, command: [x] } }\n");
    const detected = await detectProject(path, { env: { ...env, NIGHTSHIFT_HOME: home } });
    expect(detected.configuredAgent).toBe("mine");
    for (const agents of [[], ["codex"]]) {
      const text = renderInitConfig({ ...detected, agents });
      expect(text).toContain("the agent mine from your config.yaml is used");
      expect(text).not.toContain("No agent CLI was found");
      expect(REGISTRY.format.parseProject(text, "n").written.agent).toBeUndefined();
    }
    await writeFile(join(home, "config.yaml"), "agent: [\n");
    expect(await detectProject(path, { env: { ...env, NIGHTSHIFT_HOME: home } })).toMatchObject({
      configuredAgent: null,
    });
  });

  it("does not create the home when it looks for config.yaml", async () => {
    const home = join(dir.path, "nowhere");
    await detectProject(await makeRepo(), { env: { ...env, NIGHTSHIFT_HOME: home } });
    await expect(realpath(home)).rejects.toThrow(/ENOENT/);
  });

  it("reads no files outside of the checkout", async () => {
    const path = await makeRepo();
    await writeFile(join(dir.path, "package.json"), PACKAGE);
    await symlink("../package.json", join(path, "package.json"));
    expect((await detect(path)).tools.checks).toEqual({});
  });
});

describe("detectForge", () => {
  it.each([
    ["https://github.com/me/shop.git", { kind: "github", url: null, project: "me/shop", tokenEnv: "GITHUB_TOKEN" }],
    ["https://token@github.com/me/shop", { kind: "github", url: null, project: "me/shop", tokenEnv: "GITHUB_TOKEN" }],
    ["git@github.com:me/shop.git", { kind: "github", url: null, project: "me/shop", tokenEnv: "GITHUB_TOKEN" }],
    [
      "ssh://git@ssh.github.com:443/me/shop.git",
      { kind: "github", url: null, project: "me/shop", tokenEnv: "GITHUB_TOKEN" },
    ],
    [
      "https://github.corp.example.com/me/shop",
      { kind: "github", url: "https://github.corp.example.com", project: "me/shop", tokenEnv: "GITHUB_TOKEN" },
    ],
    [
      "git@gitlab.com:group/sub/shop.git",
      { kind: "gitlab", url: null, project: "group/sub/shop", tokenEnv: "GITLAB_TOKEN" },
    ],
    [
      "ssh://git@gitlab.example.com:2222/team/shop.git",
      { kind: "gitlab", url: "https://gitlab.example.com", project: "team/shop", tokenEnv: "GITLAB_TOKEN" },
    ],
    ["https://notgithub.com/me/shop", null],
    ["https://codeberg.org/me/shop", null],
    ["https://github.com/", null],
    ["https://github.com/me/shop/tree", null],
    ["https://gitlab.com/shop", null],
    ["/srv/git/github.com/shop.git", null],
    ["file:///srv/shop.git", null],
  ])("reads %s", (remote, expected) => {
    expect(detectForge(remote, REGISTRY.forges)).toEqual(expected);
  });
});
