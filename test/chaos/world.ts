import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { preparePowerCut, type PowerCut } from "./power-cut/power-cut.ts";
import { CHECK, KINDS } from "./scripts.ts";

/** A temporary environment for one daemon: its home, a repository, and the remote that work is published to. */
export interface World {
  readonly dir: string;
  readonly home: string;
  readonly repo: string;
  readonly remote: string;
  /** Null if the power stays on. */
  readonly powerCut: PowerCut | null;
  remove(): void;
}

/** `home` may already exist, for example as a small mounted disk. */
export function makeWorld(dir = mkdtempSync(join(tmpdir(), "nightshift-chaos-")), withPowerCut = false): World {
  const root = realpathSync(dir);
  const world = { dir: root, home: join(root, "home"), repo: join(root, "repo"), remote: join(root, "remote.git") };
  mkdirSync(world.home, { recursive: true, mode: 0o700 });
  mkdirSync(world.repo);
  writeFileSync(join(world.home, "config.yaml"), "sandbox: { mode: none }\nlimits: { concurrent_runs: 4 }\n");
  writeAgents(root);
  makeRepository(world);
  const powerCut = withPowerCut ? preparePowerCut(world.home, join(root, "power-cut")) : null;
  return { ...world, powerCut, remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }) };
}

function writeAgents(dir: string): void {
  const scripts = join(dir, "scripts");
  mkdirSync(scripts);
  for (const [name, { script }] of Object.entries(KINDS))
    writeFileSync(join(scripts, `${name}.json`), JSON.stringify(script));
}

function makeRepository({ dir, repo, remote }: Pick<World, "dir" | "repo" | "remote">): void {
  const agents = Object.keys(KINDS).map(
    (name) => `  ${name}: { kind: scripted, script: ${join(dir, "scripts", `${name}.json`)} }\n`,
  );
  const settings = `project: chaos\nagent: quick\nagents:\n${agents.join("")}limits: { concurrent_runs: 4 }\nchecks:\n  test: { command: "${CHECK}" }\n`;
  writeFileSync(join(repo, "README.md"), "Work for the night.\n");
  writeFileSync(join(repo, "nightshift.yaml"), settings);
  const git = (...args: readonly string[]): void => {
    execFileSync(
      "git",
      ["-c", "user.name=Chaos", "-c", "user.email=chaos@localhost", "-c", "commit.gpgsign=false", ...args],
      { cwd: repo, stdio: "pipe" },
    );
  };
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message=The base");
  git("init", "--quiet", "--bare", "--initial-branch=main", remote);
  git("remote", "add", "origin", remote);
  git("push", "--quiet", "origin", "main");
}
