import { basename, join, resolve } from "node:path";
import { ConfigError, UserError } from "../../core/text/errors.ts";
import type { Pipeline } from "../../core/pipeline/pipeline.ts";
import { splitFrontMatter } from "../../core/prompt/prompt.ts";
import { ROLES, type Role } from "../../core/task/role.ts";
import type { Settings } from "../../core/settings/settings.ts";
import type { SettingsKinds } from "../../core/settings/kinds.ts";
import type { Category } from "../../core/nightly/category.ts";
import { checkAgents } from "../parse/check-agents.ts";
import type { ConfigFormat, ParsedConfig } from "../parse/parse-config.ts";
import { parseOnce } from "../parse/parse-once.ts";
import { parsePipelineText } from "../pipeline/parse-pipeline-text.ts";
import { listOwnPipelines } from "./list-pipelines.ts";
import { layBelow, readPromptFile, type PromptFile } from "./prompt-file.ts";
import {
  readPendingTrust,
  readProjectFile,
  type ProjectFolder,
  hashSteeringFile,
  inCheckout,
  INSTRUCTIONS,
  listAgentFiles,
  listNames,
  PIPELINES,
  PROMPTS,
  sha256,
} from "./read-project.ts";
import { readText } from "./read-text.ts";
import { shareReads } from "./share-reads.ts";
import { resolvePaths } from "./resolve-paths.ts";
import { resolveSettings } from "../resolve/resolve-settings.ts";
import type { ProjectWritten, UserWritten } from "../schema/schema.ts";
import { applyAccepted, listAcceptedFiles, readAccepted, requireAcceptedFile, type Pending } from "../trust/trust.ts";
import { machineTimeZone, readUserFile } from "./user-config.ts";
import type { WideningSet } from "../trust/widening.ts";

export interface ProjectFilesParams {
  /** Nightshift's home, which contains config.yaml. */
  readonly configDir: string;
  /** The folder with the built-in `pipelines/` and `prompts/`. */
  readonly builtinDir: string;
  readonly format: ConfigFormat;
}

/** Called with what was read, or with null where the files are broken and there is nothing from before. */
export type SettingsListener = (project: ProjectLocation, settings: Settings | null) => void;

/** Like SettingsListener, but the settings can be used only after it has finished. */
type AwaitedListener = (...read: Parameters<SettingsListener>) => void | Promise<void>;

/** The fields of a registered project that are needed here. */
export interface ProjectLocation {
  readonly name: string;
  readonly path: string | null;
  readonly remote?: string;
  readonly accepted: string;
}

/** Reads configuration, prompts and pipelines. Each call reads the files again. See the port of the same name. */
export function createProjectFiles({ configDir, builtinDir, format }: ProjectFilesParams) {
  const pipelineOf = parseOnce((text, file): Pipeline =>
    requirePipeline({ name: basename(file, ".yaml"), text, file }),
  );
  const layers = keepLastGood((project: ProjectLocation) => readLayers(configDir, format, project));
  const settings = keepLastGood(
    shareReads(async (project: ProjectLocation) => readSettings(project, await layers.current(project), format)),
  );
  const listeners: AwaitedListener[] = [];
  const announce = (read: (project: ProjectLocation) => Promise<Settings>) => async (project: ProjectLocation) => {
    const found = await read(project).catch(async (error: unknown) => {
      for (const listener of listeners) await listener(project, null);
      throw error;
    });
    for (const listener of listeners) await listener(project, found);
    return found;
  };
  return {
    settings: announce(settings.current),
    lastGood: announce(settings.lastGood),

    /** Every reading of a project's settings is announced before anybody can use them. */
    onSettings(listener: AwaitedListener): void {
      listeners.push(listener);
    },

    ...pipelineReaders(builtinDir, pipelineOf),

    parsePipeline(name: string, text: string): Pipeline {
      return pipelineOf(text, `${name}.yaml`);
    },

    async prompt(project: ProjectLocation, role: Role): Promise<string> {
      // Use the last valid layers, because the settings of a nightly run may be the last valid ones too.
      const known = await layers.lastGood(project);
      const written = (await readOwnPrompt(known, role)) ?? (await readUserPrompt(known.user.written, role));
      if (written !== null) return written.body;
      return splitFrontMatter(await readBuiltIn(join(builtinDir, "prompts", `${role}.md`))).body;
    },

    async guidance(category: Category): Promise<string> {
      return (await readBuiltIn(join(builtinDir, "categories", `${category}.md`))).trim();
    },

    async preamble(): Promise<string> {
      return splitFrontMatter(await readBuiltIn(join(builtinDir, "prompts", "preamble.md"))).body;
    },

    /** Returns the permissions that the files request now, and the changes that are not accepted yet. */
    pendingTrust: shareReads(async (project: Pick<ProjectLocation, "path" | "remote">, accepted: string) => {
      const folder = folderOf(project);
      const user = await readUserLayer(configDir, format);
      const pending = await readPendingTrust({ folder, accepted, user: user.written, format });
      // Fail early instead of asking a person to accept files that cannot be used.
      if (folder !== null) await requireReadablePrompts(folder, format);
      return pending;
    }),
  };
}

/** Reads pipelines, built-in ones and those of projects. `parse` throws a ConfigError. */
function pipelineReaders(builtinDir: string, parse: (text: string, file: string) => Pipeline) {
  const readPipeline = shareReads(async (project: ProjectLocation, name: string) => {
    const accepted = readAccepted(project.accepted);
    const builtIn = await listNames(builtinDir, "pipelines", ".yaml");
    const ours = project.path === null ? [] : await listNames(project.path, PIPELINES, ".yaml");
    const known = [...new Set([...builtIn, ...ours, ...listAcceptedPipelines(accepted)])].toSorted();
    // Check the name before it becomes part of a path.
    if (!known.includes(name)) {
      throw new UserError(
        "not_found",
        `There is no pipeline "${name}". Available: ${known.join(", ")}.`,
        `Use one of them, or create ${PIPELINES}/${name}.yaml.`,
      );
    }
    const own = await readSteering({ dir: project.path, accepted }, `${PIPELINES}/${name}.yaml`);
    const file = own === null ? join(builtinDir, "pipelines", `${name}.yaml`) : `${PIPELINES}/${name}.yaml`;
    const text = own ?? (await readBuiltIn(file));
    return { pipeline: parse(text, file), text };
  });
  return {
    pipeline: readPipeline,

    async builtInPipelines() {
      const names = await listNames(builtinDir, "pipelines", ".yaml");
      const files = names.map((name) => join(builtinDir, "pipelines", `${name}.yaml`));
      return await Promise.all(files.map(async (file) => parse(await readBuiltIn(file), file)));
    },

    async ownPipelines(project: ProjectLocation) {
      const dir = project.path;
      if (dir === null) return { pipelines: [], problems: [] };
      const accepted = listAcceptedPipelines(readAccepted(project.accepted));
      const names = [...new Set([...(await listNames(dir, PIPELINES, ".yaml")), ...accepted])].toSorted();
      return await listOwnPipelines({ dir, names, read: async (name) => (await readPipeline(project, name)).pipeline });
    },
  };
}

interface Checkout {
  readonly dir: string | null;
  readonly accepted: WideningSet;
}

interface ReadLayers extends Checkout {
  readonly user: ParsedConfig<UserWritten>;
  /** The accepted part of nightshift.yaml, with absolute paths. */
  readonly own: ParsedConfig<ProjectWritten>;
  /** The same with paths as written. */
  readonly asWritten: ProjectWritten;
  readonly pending: readonly Pending[];
}

async function readSettings(project: ProjectLocation, layers: ReadLayers, { kinds }: ConfigFormat): Promise<Settings> {
  const { user, pending } = layers;
  const instructions = await readInstructions(layers);
  const own = await withOwnPrompts(layers);
  requireOwnScheduleNames(user, own);
  const settings = resolveSettings({
    project: project.name,
    timeZone: machineTimeZone(),
    user: user.written,
    own: own.written,
    instructions,
    kinds,
  });
  await requireAgentFiles(layers, kinds.agents);
  checkAgents(settings, { user, own, pending, kinds: kinds.agents });
  return settings;
}

async function readLayers(configDir: string, format: ConfigFormat, project: ProjectLocation): Promise<ReadLayers> {
  const folder = folderOf(project);
  const user = await readUserLayer(configDir, format);
  const accepted = readAccepted(project.accepted);
  // A project without a checkout has no nightshift.yaml, so only config.yaml applies.
  if (folder === null) {
    const own = { file: "nightshift.yaml", written: {}, issue: user.issue };
    return { dir: null, accepted, user, own, asWritten: {}, pending: [] };
  }
  const { dir } = folder;
  const file = await readProjectFile(folder, format);
  const applied = applyAccepted(file.written, accepted, user.written, format.schemas);
  const own = { ...file, written: resolvePaths(applied.written, dir, format.kinds.agents) };
  return { dir, accepted, user, own, asWritten: applied.written, pending: applied.pending };
}

function folderOf({ path, remote }: Pick<ProjectLocation, "path" | "remote">): ProjectFolder | null {
  return path === null ? null : { dir: path, isPlain: remote === "" };
}

/** Reads a file of the checkout that controls agents. Returns null if there is none and none was accepted. */
async function readSteering({ dir, accepted }: Checkout, path: string): Promise<string | null> {
  if (dir === null) return null;
  const text = await readText(join(dir, path), dir);
  requireAcceptedFile(path, text === null ? null : sha256(text), accepted);
  return text;
}

async function readInstructions(layers: ReadLayers): Promise<string> {
  return (await readSteering(layers, INSTRUCTIONS)) ?? "";
}

async function requireAgentFiles(
  { dir, accepted, asWritten }: ReadLayers,
  kinds: SettingsKinds["agents"],
): Promise<void> {
  if (dir === null) return;
  for (const path of listAgentFiles(dir, asWritten, kinds))
    requireAcceptedFile(path, await hashSteeringFile(dir, path), accepted);
}

/** Reads config.yaml, merged with the front matter of the prompts that it names. */
async function readUserLayer(configDir: string, format: ConfigFormat): Promise<ParsedConfig<UserWritten>> {
  const user = await readUserFile(configDir, format);
  const named = ROLES.filter((role) => user.written.roles?.[role]?.prompt !== undefined);
  return layBelow(user, await readPrompts(named, (role) => readUserPrompt(user.written, role)));
}

/** Returns nightshift.yaml, merged with the front matter of the project's prompts. */
async function withOwnPrompts(layers: ReadLayers): Promise<ParsedConfig<ProjectWritten>> {
  const { dir, own } = layers;
  if (dir === null) return own;
  const inFolder: readonly string[] = await listNames(dir, PROMPTS, ".md");
  const there = ROLES.filter((role) => inFolder.includes(role) || own.written.roles?.[role]?.prompt !== undefined);
  return layBelow(own, await readPrompts(there, (role) => readOwnPrompt(layers, role)));
}

async function readPrompts(
  roles: readonly Role[],
  read: (role: Role) => Promise<PromptFile | null>,
): Promise<ReadonlyMap<Role, PromptFile>> {
  const found = await Promise.all(roles.map(async (role) => [role, await read(role)] as const));
  return new Map(found.flatMap(([role, prompt]) => (prompt === null ? [] : [[role, prompt] as const])));
}

/** Reads the project's prompt of a role: the file that nightshift.yaml names, or the one in the prompts folder. */
async function readOwnPrompt(layers: ReadLayers, role: Role): Promise<PromptFile | null> {
  const { dir } = layers;
  if (dir === null) return null;
  const named = await readNamedPrompt(layers, role);
  const path = named?.path ?? `${PROMPTS}/${role}.md`;
  const text = named === null ? await readSteering(layers, path) : named.text;
  return text === null ? null : readPromptFile(text, join(dir, path), role);
}

/** Reads the file in `roles.<role>.prompt` of nightshift.yaml. */
async function readNamedPrompt(
  layers: ReadLayers,
  role: Role,
): Promise<{ readonly path: string; readonly text: string } | null> {
  const file = layers.own.written.roles?.[role]?.prompt;
  if (file === undefined || layers.dir === null) return null;
  const [path] = inCheckout(layers.dir, file);
  const text = path === undefined ? undefined : await readSteering(layers, path);
  if (path !== undefined && typeof text === "string") return { path, text };
  const message =
    path === undefined
      ? "is outside the repository; move the prompt into the repository"
      : `the file ${path} does not exist`;
  throw new ConfigError([layers.own.issue(["roles", role, "prompt"], message)]);
}

/** Reads the file in `roles.<role>.prompt` of config.yaml. */
async function readUserPrompt(user: UserWritten, role: Role): Promise<PromptFile | null> {
  const file = user.roles?.[role]?.prompt;
  return file === undefined ? null : readPromptFile(await readBuiltIn(resolve(file)), resolve(file), role);
}

async function readBuiltIn(file: string): Promise<string> {
  const text = await readText(file);
  if (text !== null) return text;
  throw new ConfigError([{ file, line: null, column: null, key: "", message: "the file does not exist" }]);
}

/** An accepted pipeline whose file was removed still counts as known, so that its use is refused with the reason. */
function listAcceptedPipelines(accepted: WideningSet): string[] {
  const prefix = `${PIPELINES}/`;
  return listAcceptedFiles(accepted)
    .filter((path) => path.startsWith(prefix))
    .map((path) => path.slice(prefix.length, -".yaml".length));
}

function requirePipeline(source: { readonly name: string; readonly text: string; readonly file: string }): Pipeline {
  const result = parsePipelineText(source);
  if (!result.ok) throw new ConfigError(result.issues);
  return result.pipeline;
}

/** Checks all prompts of the project, accepted or not. Throws ConfigError with all problems. */
async function requireReadablePrompts(folder: ProjectFolder, format: ConfigFormat): Promise<void> {
  const { dir } = folder;
  const { roles = {} } = (await readProjectFile(folder, format)).written;
  const problems = await Promise.all(
    ROLES.map(async (role) => {
      const path = inCheckout(dir, roles[role]?.prompt)[0] ?? `${PROMPTS}/${role}.md`;
      const text = await readText(join(dir, path), dir);
      return text === null ? [] : findProblems(() => readPromptFile(text, join(dir, path), role));
    }),
  );
  if (problems.flat().length > 0) throw new ConfigError(problems.flat());
}

function findProblems(read: () => unknown): ConfigError["issues"] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.issues;
    throw error;
  }
}

/** The progress of a schedule is stored by its name, so schedules with the same name in two files would block each other. */
export function requireOwnScheduleNames(user: ParsedConfig<UserWritten>, own: ParsedConfig<ProjectWritten>): void {
  const taken = new Set((user.written.schedules ?? []).map(({ name }) => name));
  const issues = (own.written.schedules ?? []).flatMap(({ name }, index) =>
    taken.has(name)
      ? [
          own.issue(
            ["schedules", index, "name"],
            `found \`${name}\`, which is also a schedule in ${user.file}; each schedule needs a unique name`,
          ),
        ]
      : [],
  );
  if (issues.length > 0) throw new ConfigError(issues);
}

interface ProjectSource {
  readonly name: string;
  readonly path: string | null;
  readonly remote?: string;
  readonly accepted: string;
}

/** Keeps the last valid settings of each project, so that a mistake in a file does not stop the nightly run. */
export function keepLastGood<P extends ProjectSource, T>(read: (project: P) => Promise<T>) {
  const good = new Map<string, { readonly source: string; readonly found: T }>();

  async function current(project: P): Promise<T> {
    const found = await read(project);
    good.set(project.name, { source: locationKey(project), found });
    return found;
  }

  async function lastGood(project: P): Promise<T> {
    try {
      return await current(project);
    } catch (error) {
      const before = good.get(project.name);
      if (before === undefined || before.source !== locationKey(project) || !(error instanceof ConfigError))
        throw error;
      return before.found;
    }
  }

  return { current, lastGood };
}

/** A project with the same name but another location or other accepted permissions must not get the old settings. */
export function locationKey({ name, path, remote = "", accepted }: ProjectSource): string {
  return JSON.stringify([name, path, remote, accepted]);
}
