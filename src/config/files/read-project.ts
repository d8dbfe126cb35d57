import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { ConfigError } from "../../core/text/errors.ts";
import { errorCode, readText } from "./read-text.ts";
import type { ConfigFormat, ParsedConfig } from "../parse/parse-config.ts";
import type { ProjectWritten, UserWritten } from "../schema/schema.ts";
import { hashSteeringFiles, sha256 } from "./steering-files.ts";
import { describeAccepted, listPending, listPendingFiles, readAccepted, type Pending } from "../trust/trust.ts";

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
export async function readProjectFile(dir: string, format: ConfigFormat): Promise<ParsedConfig<ProjectWritten>> {
  const file = join(dir, "nightshift.yaml");
  const text = await readText(file, dir);
  if (text === null) await requireFolder(dir);
  return format.parseProject(text ?? "", file);
}

/** What was deleted, or is not mounted now, is not the same as a checkout without settings. */
async function requireFolder(dir: string): Promise<void> {
  const found = await readdir(dir).catch((error: unknown) => errorCode(error));
  if (typeof found !== "string" && found.length > 0) return;
  const what =
    found === "ENOENT" ? "is not there" : typeof found === "string" ? `cannot be read (${found})` : "is empty";
  const message = `the project's folder ${what}; put it back or mount it, or register the project where it is now`;
  throw new ConfigError([{ file: dir, line: null, column: null, key: "", message }]);
}

export interface TrustParams {
  /** The person's checkout; null: there is none, so no file asks for anything. */
  readonly path: string | null;
  /** `Project.accepted`. */
  readonly accepted: string;
  readonly user: UserWritten;
  readonly format: ConfigFormat;
}

export async function readPendingTrust({ path, accepted, user, format }: TrustParams): Promise<PendingTrust> {
  const written = path === null ? {} : (await readProjectFile(path, format)).written;
  const files = path === null ? {} : await hashSteeringFiles(path, written, format.kinds.agents);
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
