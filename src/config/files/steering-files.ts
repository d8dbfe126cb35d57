import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import type { AgentKind } from "../../core/settings/kinds.ts";
import { ConfigError } from "../../core/text/errors.ts";
import { errorCode, isInside, readBytes } from "./read-text.ts";
import { mapAgentPaths } from "./resolve-paths.ts";
import type { ProjectWritten } from "../schema/schema.ts";
import type { FileHashes } from "../trust/trust.ts";

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

/** Lists the names of the files in a folder of the checkout, without extension. */
export async function listNames(dir: string, folder: string, ending: string): Promise<string[]> {
  const files = await readFolder(join(dir, folder));
  return files
    .filter((file) => file.endsWith(ending))
    .map((file) => file.slice(0, -ending.length))
    .toSorted();
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
