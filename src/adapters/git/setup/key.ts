import { createHash } from "node:crypto";
import { lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { affectsInstall, installsOwnSources } from "../../../core/change/install-command.ts";
import type { SetupParams } from "../../../ports/workspace/setup-cache.ts";
import { taskPaths, treePaths, type GitContext } from "../context.ts";
import { git } from "../git.ts";
import { readContents } from "../read/read-changes.ts";
import { readRecord } from "../workspace/tree-record.ts";

/** Raised when kept files become unusable for a newer version. */
const VERSION = 1;

/** An entry of `git ls-files --stage -z`: mode, blob and stage, a tab, and the path. */
const INDEX_ENTRY = /^(\d+) ([0-9a-f]+) \d\t(.+)$/s;

interface IndexEntry {
  readonly path: string;
  readonly id: string;
  /** The whole line. */
  readonly text: string;
}

/** Identifies the inputs of a set-up. The checkout's files come from the index, which no command can reach. */
export async function keyOfSetup(context: GitContext, params: SetupParams): Promise<string> {
  const task = taskPaths(context, params.task);
  const tree = treePaths(task, params.name);
  const copied = (await readRecord(tree))?.copied ?? [];
  const inputs = {
    version: VERSION,
    command: params.command,
    environment: params.environment,
    platform: [process.platform, process.arch],
    tools: findTools(params),
    files: await listInputs(task.engine, tree.index),
    copied: copied.map((file) => [file, hashCopied(join(tree.tree, file))]),
  };
  return hash(JSON.stringify(inputs));
}

/** The dependency files, or all files if installing also uses the project's own sources. */
async function listInputs(engine: string, index: string): Promise<readonly string[]> {
  const output = await git({ gitDir: engine, indexFile: index, args: ["ls-files", "--stage", "-z"] });
  const entries = output
    .toString("latin1")
    .split("\0")
    .flatMap((text): IndexEntry[] => {
      const [, , id, path] = INDEX_ENTRY.exec(text) ?? [];
      return id === undefined || path === undefined ? [] : [{ path, id, text }];
    });
  const used = entries.filter(({ path }) => affectsInstall(path));
  const contents = await readContents(engine, [...new Set(used.map(({ id }) => id))]);
  const textOf = (id: string): string => new TextDecoder().decode(contents.get(id));
  const needsAll = used.some(({ path, id }) => installsOwnSources(path, textOf(id)));
  return (needsAll ? entries : used).map(({ text }) => text);
}

const RUNTIMES = ["node", "python3", "ruby", "rustc", "go", "php", "elixir"];

/** A new version of a tool or runtime is another file. Reading its version would mean to start it. */
function findTools({ command, path }: SetupParams): readonly string[] {
  const programs = command.split("&&").map((part) => part.trim().split(" ")[0] ?? "");
  const dirs = path.split(":").filter((dir) => dir.startsWith("/"));
  return [...new Set([...programs, ...RUNTIMES])].flatMap((name) => describeTool(name, dirs));
}

function describeTool(name: string, dirs: readonly string[]): readonly string[] {
  for (const dir of dirs) {
    const file = join(dir, name);
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined) continue;
    try {
      const { size, mtimeMs } = statSync(file);
      return [`${name} ${realpathSync(file)} ${size} ${mtimeMs}`];
    } catch {
      // A broken link is no tool.
    }
  }
  return [];
}

/** The content of linked folders is not followed: install commands read files. */
function hashCopied(path: string): string {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true ? hash(readFileSync(path)) : "";
}

function hash(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
