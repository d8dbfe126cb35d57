import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { ConfigError } from "../../core/text/errors.ts";
import { errorCode, readText } from "./read-text.ts";
import type { ConfigFormat, ParsedConfig } from "../parse/parse-config.ts";
import type { ProjectWritten, UserWritten } from "../schema/schema.ts";
import { hashSteeringFiles, sha256 } from "./steering-files.ts";
import { describeAccepted, listPending, listPendingFiles, readAccepted, type Pending } from "../trust/trust.ts";

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

/** Reads nightshift.yaml of a checkout. A missing file means no settings. */
export async function readProjectFile(dir: string, format: ConfigFormat): Promise<ParsedConfig<ProjectWritten>> {
  const file = join(dir, "nightshift.yaml");
  const text = await readText(file, dir);
  if (text === null) await requireFolder(dir);
  return format.parseProject(text ?? "", file);
}

/** A deleted or unmounted folder must not be treated like a checkout without settings. */
async function requireFolder(dir: string): Promise<void> {
  const found = await readdir(dir).catch((error: unknown) => errorCode(error));
  if (typeof found !== "string" && found.length > 0) return;
  const what =
    found === "ENOENT" ? "does not exist" : typeof found === "string" ? `cannot be read (${found})` : "is empty";
  const message = `the project's folder ${what}; restore or mount it, or register the project at its new location`;
  throw new ConfigError([{ file: dir, line: null, column: null, key: "", message }]);
}

export interface TrustParams {
  /** The person's checkout. Null if there is none; then no file requests anything. */
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
