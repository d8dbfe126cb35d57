import { join } from "node:path";
import { readText } from "./read-text.ts";
import { parseProjectConfig, type ParsedConfig } from "./parse-config.ts";
import type { ProjectWritten, UserWritten } from "./schema.ts";
import { hashSteeringFiles, sha256 } from "./steering-files.ts";
import { describeAccepted, listPending, listPendingFiles, readAccepted, type Pending } from "./trust.ts";

/** What the project's files ask for beyond what was accepted, in words for people. */
export interface PendingTrust {
  /** What `Project.accepted` becomes when a person accepts. */
  readonly wanted: string;
  /** Names `wanted`, so that nobody accepts what they were not shown. */
  readonly hash: string;
  readonly changes: readonly {
    readonly key: string;
    readonly accepted: string | null;
    readonly wanted: string | null;
  }[];
}

/** nightshift.yaml of a checkout; without the file there are no settings. */
export async function readProjectFile(dir: string): Promise<ParsedConfig<ProjectWritten>> {
  const file = join(dir, "nightshift.yaml");
  return parseProjectConfig((await readText(file, dir)) ?? "", file);
}

export interface TrustParams {
  /** The person's checkout; null: there is none, so no file asks for anything. */
  readonly path: string | null;
  /** `Project.accepted`. */
  readonly accepted: string;
  readonly user: UserWritten;
}

export async function readPendingTrust({ path, accepted, user }: TrustParams): Promise<PendingTrust> {
  const written = path === null ? {} : (await readProjectFile(path)).written;
  const files = path === null ? {} : await hashSteeringFiles(path, written);
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
