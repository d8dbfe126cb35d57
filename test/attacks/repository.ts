import { existsSync } from "node:fs";
import { join } from "node:path";
import { createGitWorkspaces } from "../../src/adapters/git/workspaces.ts";
import type { FileChange } from "../../src/core/change/file-change.ts";
import type { Workspaces } from "../../src/ports/workspace.ts";
import { createTempRepo } from "../../src/testing/temp-repo.ts";
import type { Files, TempRepo } from "../../src/testing/temp-repo.ts";
import type { AttackContext } from "./attack.ts";
import { fixturePolicy } from "./fixture.ts";

/** A project with its mirror and workspaces, like the engine's. */
export interface Repository {
  readonly repo: TempRepo;
  readonly mirrors: string;
  open(): Promise<OpenTree>;
}

/** The workspace of one run. */
export interface OpenTree {
  readonly path: string;
  readonly base: string;
  /** Directories its git directory reads objects from. The last is the mirror. */
  readonly objects: readonly string[];
  /** A file outside that appears if a program of the agent ran where it should not. */
  readonly canary: string;
  /** Returns the engine's commit and the paths that differ from the base. */
  collect(): Promise<CollectedTree>;
  /** Opens that commit in a new workspace, as checks get it. */
  reopen(): Promise<string>;
  close(): Promise<void>;
}

export interface CollectedTree {
  readonly commit: string | null;
  readonly paths: readonly string[];
  readonly changes: readonly FileChange[];
}

const silentLog = { info: () => undefined, warn: () => undefined, error: () => undefined };
const project = "shop";
const FILES: Files = {
  "a.txt": "one\n",
  "b.txt": "two\n",
  "src/c.txt": "three\n",
  "check.sh": "exit 1\n",
  ".gitignore": ".env*\n",
};
let trees = 0;

export async function openRepository({ fixture }: AttackContext): Promise<Repository> {
  const repo = await createTempRepo(FILES);
  const mirrors = join(repo.path, "home/mirrors");
  const workspacesDir = join(repo.path, "home/workspaces");
  const workspaces = createGitWorkspaces({ mirrorsDir: mirrors, workspacesDir, log: silentLog, timeoutMs: 2_000 });
  const { commit: base } = await workspaces.sync({ project, remote: repo.remote, defaultBranch: null });

  async function open(): Promise<OpenTree> {
    const task = `task_${trees++}`;
    const openAs = (name: string, commit: string) =>
      workspaces.open({ project, task, name, commit, branch: "agent/x", copy: null });
    const { path, objects } = await openAs("run", base);
    const collect = () => collectAndRead(workspaces, task, base);
    return {
      path,
      base,
      objects,
      canary: join(fixture.outside, `canary-${task}`),
      collect,
      reopen: async () => (await openAs("checks", (await collect()).commit ?? base)).path,
      close: () => workspaces.close(task, "run"),
    };
  }
  return { repo, mirrors, open };
}

/** Includes the engine's next steps, each of which might run the agent's programs. */
async function collectAndRead(workspaces: Workspaces, task: string, from: string): Promise<CollectedTree> {
  const { commit, stats } = await workspaces.collect({ project, task, name: "run", message: "work", at: 0 });
  const paths = stats.files.map(({ path }) => path);
  if (commit === null) return { commit, paths, changes: [] };
  await workspaces.diff({ project, task, from, to: commit, maxBytes: 100_000 });
  const changes = await workspaces.readChanges({ project, task, from, to: commit, maxFileBytes: 100_000 });
  return { commit, paths, changes };
}

export interface AgentScript {
  readonly tree: OpenTree;
  readonly script: string;
}

/** Runs the agents' preparations one after the other, in one sandbox or without any. */
export async function runAgentScripts(
  context: AttackContext,
  sandbox: "enforce" | "none",
  acts: readonly AgentScript[],
): Promise<void> {
  const cwd = acts[0]?.tree.path ?? "";
  const policy = fixturePolicy(context.fixture, {
    cwd,
    own: {
      write: acts.map(({ tree }) => tree.path),
      read: [...new Set(acts.flatMap(({ tree }) => tree.objects)), process.execPath],
    },
    protect: [],
    env: { ...GIT_ENV, NODE: process.execPath, OUTSIDE: context.fixture.outside },
  });
  const script = acts.map(({ tree, script: words }) => scriptIn(tree, words)).join("\n");
  const { stdout, stderr, notes, record } = await context.run({ sandbox, argv: ["sh", "-c", script], policy });
  const missing = acts.filter(({ tree }) => !stdout.split("\n").includes(`prepared ${tree.path}`));
  if (missing.length > 0) {
    const first = missing[0]?.script ?? "";
    throw new Error(`not prepared: ${first}\n${stdout}\n${stderr}\n${notes}\n${JSON.stringify(record)}`);
  }
}

export function didAgentProgramRun({ canary }: OpenTree): boolean {
  return existsSync(canary);
}

const GIT_ENV = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  HOME: "/nonexistent",
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "agent",
  GIT_AUTHOR_EMAIL: "agent@example.com",
  GIT_COMMITTER_NAME: "agent",
  GIT_COMMITTER_EMAIL: "agent@example.com",
};

/** Adds the agent's program at `$evil`, and a change. */
function scriptIn({ path, canary, objects }: OpenTree, script: string): string {
  return `
(set -e
cd '${path}'
OBJECTS='${objects.at(-1) ?? ""}'
evil="$PWD/.git/evil.sh"
printf '#!/bin/sh\\necho ran >> "%s"\\n' '${canary}' > "$evil"
chmod 755 "$evil"
echo evil > a.txt
${script}
) && echo 'prepared ${path}'`;
}
