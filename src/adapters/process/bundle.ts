import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readJson } from "./job-files.ts";

/** A program of ours that starts once for every run: it is bundled, since one file starts faster than many. */
export interface BundledProgram {
  /** Below `src`, without its extension. */
  readonly source: string;
  /** Whether packages go into it as well, so that it runs where no other file is. */
  readonly isWhole: boolean;
}

export const SUPERVISOR: BundledProgram = { source: "supervisor/main", isWhole: false };
export const REPORT_SERVER: BundledProgram = { source: "mcp/report-outcome", isWhole: true };

/**
 * Where a checkout's `npm ci` leaves them behind. Each stands under the hash of what it was made from, so that one that is
 * in use is never written over.
 */
export const BUNDLES = join("node_modules", ".cache", "nightshift-bundle");

/** What the newest bundle of a program was made from, as paths below the checkout. */
export interface BundleRecord {
  readonly sources: readonly string[];
  readonly hash: string;
}

export function bundleRecord(checkout: string, { source }: BundledProgram): string {
  return join(checkout, BUNDLES, `${source.replaceAll("/", "-")}.json`);
}

/** The newest bundle of a program; null where there is none, or where one of its sources has changed since. */
export function findBundle(checkout: string, program: BundledProgram): string | null {
  // Written by our own script alone, whole or not at all.
  const record = readJson(bundleRecord(checkout, program)) as BundleRecord | null;
  if (record === null) return null;
  const entry = join(checkout, BUNDLES, record.hash, `${program.source}.mjs`);
  return existsSync(entry) && hashNow(checkout, record.sources) === record.hash ? entry : null;
}

/** By content: dates change with every checkout, and sizes may stay. */
export function hashSources(sources: Iterable<readonly [path: string, text: string]>): string {
  const hash = createHash("sha256");
  for (const [path, text] of sources) hash.update(`${path}\0${text}\0`);
  return hash.digest("hex").slice(0, 32);
}

function hashNow(checkout: string, paths: readonly string[]): string | null {
  try {
    return hashSources(paths.map((path) => [path, readFileSync(join(checkout, path), "utf8")]));
  } catch {
    // One of them is gone.
    return null;
  }
}
