import { execFile } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { createGitWorkspaces } from "../../src/adapters/git/workspaces.ts";
import { createBenchEnvironment, PROJECT, QUICK_AGENT } from "../environment.ts";
import type { Measured } from "../report.ts";
import { interleave, median, timed } from "../statistics.ts";

const execute = promisify(execFile);
const FILES = 20_000;
const FILES_PER_PACKAGE = 40;
const FILE_BYTES = 4_000;
const ROUNDS = 3;

/** Measures how long a workspace waits for installed dependencies that are reused. A package manager has to unpack them, at least. */
export async function measureReusedSetup(): Promise<readonly Measured[]> {
  const { root, home, remote, remove } = createBenchEnvironment(QUICK_AGENT, 1);
  try {
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const dirs = { mirrorsDir: join(home, "mirrors"), workspacesDir: join(home, "workspaces") };
    const workspaces = createGitWorkspaces({ ...dirs, identity: { name: "Bench", email: "bench@localhost" }, log });
    const { commit } = await workspaces.sync({ project: PROJECT, remote, defaultBranch: "main" });
    let round = 0;
    const open = async () => {
      const [task, name] = [`task_${round++}`, "run_agent"];
      const { path } = await workspaces.open({ project: PROJECT, task, name, commit, branch: "agent/x", copy: null });
      const own = join(root, "homes", task);
      mkdirSync(own, { recursive: true });
      return {
        path,
        params: { project: PROJECT, task, name, home: own, command: "npm ci", environment: "", path: "" },
      };
    };
    const first = await open();
    const { key } = (await workspaces.restoreSetup(first.params)) as { key: string };
    installPackages(join(first.path, "node_modules"));
    const archive = join(root, "packages.tar.gz");
    await execute("tar", ["-czf", archive, "-C", first.path, "node_modules"]);
    const kept = await timed(() => workspaces.keepSetup({ ...first.params, key }));
    const measured = await interleave(ROUNDS, {
      async unpack() {
        const dir = join(root, "unpacked");
        mkdirSync(dir);
        const ms = await timed(() => execute("tar", ["-xzf", archive, "-C", dir]));
        rmSync(dir, { recursive: true });
        return ms;
      },
      async reuse() {
        const { params } = await open();
        const ms = await timed(async () => {
          const { kind } = await workspaces.restoreSetup(params);
          if (kind !== "restored") throw new Error(`The installed files are ${kind}.`);
        });
        await workspaces.remove(params.task);
        return ms;
      },
    });
    const row = { row: "r", unit: "ms", target: null } as const;
    const what = `installed dependencies, ${FILES} files`;
    const baseline = median(measured.unpack);
    return [
      { ...row, what: `${what}, reused in a workspace (baseline: tar -xzf)`, value: median(measured.reuse), baseline },
      { ...row, what: `${what}, kept after set-up, once (baseline: tar -xzf)`, value: kept, baseline },
    ];
  } finally {
    remove();
  }
}

function installPackages(dir: string): void {
  for (let file = 0; file < FILES; file += 1) {
    const folder = join(dir, `package-${Math.floor(file / FILES_PER_PACKAGE)}`);
    if (file % FILES_PER_PACKAGE === 0) mkdirSync(folder, { recursive: true });
    const lines = Array.from({ length: FILE_BYTES / 20 }, (_, line) => `${(file * 7919 + line * 104_729) % 1e9}`);
    writeFileSync(join(folder, `file${file}.js`), lines.join("\n"));
  }
}
