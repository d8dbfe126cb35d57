import { readdir } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { ConfigError } from "../../core/text/errors.ts";
import { errorCode, isInside, MAX_CONFIG_BYTES, readBytes, readText } from "./read-text.ts";
import type { ConfigFormat, ParsedConfig } from "../parse/parse-config.ts";
import type { ProjectWritten, UserWritten } from "../schema/schema.ts";
import {
  describeAccepted,
  listPending,
  listPendingFiles,
  readAccepted,
  type Pending,
  type FileHashes,
} from "../trust/trust.ts";
import { createHash } from "node:crypto";
import type { AgentKind } from "../../core/settings/kinds.ts";
import { mapAgentPaths } from "./resolve-paths.ts";

/** The permissions that the project's files request beyond the accepted ones, as text for people. */
export interface PendingTrust {
  /** The new value of `Project.accepted` after a person accepts. */
  readonly wanted: string;
  /** Hash of `wanted`, so that a person can accept only what they were shown. */
  readonly hash: string;
  readonly changes: readonly {
    readonly key: string;
    readonly accepted: string | null;
    readonly wanted: string | null;
  }[];
}

/** A project's folder. */
export interface ProjectFolder {
  readonly dir: string;
  /** Whether it is a plain directory, without a git repository. */
  readonly isPlain: boolean;
}

/** Reads nightshift.yaml of a project's folder. A missing file means no settings. */
export async function readProjectFile(
  { dir, isPlain }: ProjectFolder,
  format: ConfigFormat,
): Promise<ParsedConfig<ProjectWritten>> {
  const file = join(dir, "nightshift.yaml");
  const text = await readText(file, dir, MAX_CONFIG_BYTES);
  if (text === null) await requireFolder(dir, isPlain);
  return format.parseProject(text ?? "", file);
}

/** A deleted or unmounted folder must not be treated like a checkout without settings. Only a plain directory may be empty. */
async function requireFolder(dir: string, mayBeEmpty: boolean): Promise<void> {
  const found = await readdir(dir).catch((error: unknown) => errorCode(error));
  if (typeof found !== "string" && (mayBeEmpty || found.length > 0)) return;
  const what =
    found === "ENOENT" ? "does not exist" : typeof found === "string" ? `cannot be read (${found})` : "is empty";
  const message = `the project's folder ${what}; restore or mount it, or register the project at its new location`;
  throw new ConfigError([{ file: dir, line: null, column: null, key: "", message }]);
}

export interface TrustParams {
  /** Null if the project has no folder on this machine; then no file requests anything. */
  readonly folder: ProjectFolder | null;
  /** `Project.accepted`. */
  readonly accepted: string;
  readonly user: UserWritten;
  readonly format: ConfigFormat;
}

export async function readPendingTrust({ folder, accepted, user, format }: TrustParams): Promise<PendingTrust> {
  const written = folder === null ? {} : (await readProjectFile(folder, format)).written;
  const files = folder === null ? {} : await hashSteeringFiles(folder.dir, written, format.kinds.agents);
  const before = readAccepted(accepted);
  const wanted = describeAccepted(written, files);
  const pending = [...listPending(written, before, user), ...listPendingFiles(files, before)];
  const changes = pending.map(show).toSorted((a, b) => (a.key < b.key ? -1 : 1));
  return { wanted, hash: sha256(wanted), changes };
}

function show({ key, accepted, asked }: Pending): PendingTrust["changes"][number] {
  return { key, accepted: toText(accepted), wanted: toText(asked) };
}

function toText(value: unknown): string | null {
  if (value === null || typeof value === "string") return value;
  return JSON.stringify(value);
}

export const INSTRUCTIONS = ".nightshift/instructions.md";
export const PROMPTS = ".nightshift/prompts";
export const PIPELINES = ".nightshift/pipelines";

// Large enough for an agent's program, small enough to be hashed for every run.
const MAX_BYTES = 50_000_000;

/** Returns the SHA-256 of every file of the checkout that controls agents. A changed file must be accepted again. */
export async function hashSteeringFiles(
  dir: string,
  written: ProjectWritten,
  kinds: readonly AgentKind[],
): Promise<FileHashes> {
  const paths = [
    INSTRUCTIONS,
    ...(await listNames(dir, PROMPTS, ".md")).map((name) => `${PROMPTS}/${name}.md`),
    ...(await listNames(dir, PIPELINES, ".yaml")).map((name) => `${PIPELINES}/${name}.yaml`),
    ...Object.values(written.roles ?? {}).flatMap((role) => inCheckout(dir, role?.prompt)),
    ...listAgentFiles(dir, written, kinds),
  ];
  const hashes = await Promise.all(paths.map(async (path) => [path, await hashSteeringFile(dir, path)] as const));
  return Object.fromEntries(hashes.flatMap(([path, hash]) => (hash === null ? [] : [[path, hash]])));
}

/** Returns null if the file does not exist. */
export async function hashSteeringFile(dir: string, path: string): Promise<string | null> {
  const bytes = await readBytes(join(dir, path), { within: dir, max: MAX_BYTES });
  return bytes === null ? null : sha256(bytes);
}

export function sha256(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

/** Lists the programs and scripts in the checkout that start the project's agents. */
export function listAgentFiles(dir: string, written: ProjectWritten, kinds: readonly AgentKind[]): string[] {
  const paths: string[] = [];
  mapAgentPaths(written.agents ?? {}, kinds, (path) => {
    paths.push(path);
    return path;
  });
  return paths.flatMap((path) => inCheckout(dir, path));
}

/** All of them are read for every run. */
const MAX_FILES = 100;

/** Lists the names of the files in a folder of the checkout, without extension. */
export async function listNames(dir: string, folder: string, ending: string): Promise<string[]> {
  const files = (await readFolder(join(dir, folder))).filter((file) => file.endsWith(ending));
  if (files.length > MAX_FILES) {
    const message = `has ${files.length} files that end with ${ending}; allowed: at most ${MAX_FILES}`;
    throw new ConfigError([{ file: join(dir, folder), line: null, column: null, key: "", message }]);
  }
  return files.map((file) => file.slice(0, -ending.length)).toSorted();
}

async function readFolder(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT") return [];
    const message = `cannot be read as a folder (${code}); check that it is a folder, and its permissions`;
    throw new ConfigError([{ file: folder, line: null, column: null, key: "", message }]);
  }
}

/** Returns the path relative to the checkout, or nothing if it is outside. */
export function inCheckout(dir: string, path: string | undefined): string[] {
  if (path === undefined || path.startsWith("~")) return [];
  const file = resolve(dir, path);
  return isInside(file, dir) && file !== resolve(dir) ? [relative(dir, file)] : [];
}
