import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readJson } from "./job-files.ts";

/** One of our programs that is started for every run. It is bundled, because a single file starts faster. */
export interface BundledProgram {
  /** Path below `src`, without extension. */
  readonly source: string;
  /** Whether the bundle includes npm packages, so that it runs without any other file. */
  readonly isWhole: boolean;
}

export const SUPERVISOR: BundledProgram = { source: "supervisor/main", isWhole: false };
export const REPORT_SERVER: BundledProgram = { source: "mcp/report-outcome", isWhole: true };
export const MCP_BRIDGE: BundledProgram = { source: "mcp/bridge", isWhole: true };

/** Directory of the bundles that `npm ci` builds in a checkout. Each is named by the hash of its sources, so that a bundle in use is never overwritten. */
export const BUNDLES = join("node_modules", ".cache", "nightshift-bundles");

/** Sources of the latest bundle of a program, as paths below the checkout. */
export interface BundleRecord {
  readonly sources: readonly string[];
  readonly hash: string;
}

export function bundleRecord(checkout: string, { source }: BundledProgram): string {
  return join(checkout, BUNDLES, `${source.replaceAll("/", "-")}.json`);
}

/** Returns the latest bundle of a program, or null if there is none or its sources have changed. */
export function findBundle(checkout: string, program: BundledProgram): string | null {
  // The cast is safe: only our own script writes this file, atomically.
  const record = readJson(bundleRecord(checkout, program)) as BundleRecord | null;
  if (record === null) return null;
  const entry = join(checkout, BUNDLES, record.hash, `${program.source}.mjs`);
  return existsSync(entry) && hashNow(checkout, record.sources) === record.hash ? entry : null;
}

/** Hashes the content, because modification times change with every checkout and sizes can stay the same. */
export function hashSources(sources: Iterable<readonly [path: string, text: string]>): string {
  const hash = createHash("sha256");
  for (const [path, text] of sources) hash.update(`${path}\0${text}\0`);
  return hash.digest("hex").slice(0, 32);
}

function hashNow(checkout: string, paths: readonly string[]): string | null {
  try {
    return hashSources(paths.map((path) => [path, readFileSync(join(checkout, path), "utf8")]));
  } catch {
    // A source file was removed.
    return null;
  }
}
