import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { UserError } from "../../core/text/errors.ts";
import { homePaths, type Environment } from "./paths.ts";

const storedKeySchema = z.strictObject({ value: z.string(), added_at: z.iso.datetime() });
const storedKeysSchema = z.record(z.string(), storedKeySchema);

/** Keys that a person stored with `nightshift auth add`, by the name of the environment variable that they replace. */
export type StoredKeys = z.output<typeof storedKeysSchema>;

/** Throws UserError if the file is damaged. */
export function readStoredKeys(home: string): StoredKeys {
  const file = homePaths(home).keys;
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return {};
    throw damaged(file);
  }
  try {
    return storedKeysSchema.parse(JSON.parse(text));
  } catch {
    // The parser's message could quote a key.
    throw damaged(file);
  }
}

function damaged(file: string): UserError {
  return new UserError(
    "unavailable",
    `The stored keys in ${file} cannot be read.`,
    'Delete the file, and store the keys again with "nightshift auth add <name>".',
  );
}

/** Replaces the file. Only the owner can read it, at any time. */
export function writeStoredKeys(home: string, keys: StoredKeys): void {
  const file = homePaths(home).keys;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${process.pid}.new`;
  try {
    const handle = openSync(temporary, "wx", 0o600);
    try {
      writeSync(handle, `${JSON.stringify(keys, null, 2)}\n`);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}

const MIN_LENGTH_TO_SHOW = 16;

/** The last four characters, for recognizing a key in a list. Null for short values, of which they would reveal too much. */
export function endingOf(value: string): string | null {
  return value.length < MIN_LENGTH_TO_SHOW ? null : value.slice(-4);
}

export interface KeyListener {
  /** Called with each stored key before it is used. */
  readonly onKey: (key: { readonly name: string; readonly value: string }) => void;
  /** Called once per change that cannot be read. The previous keys stay in effect. */
  readonly onProblem: (problem: string) => void;
}

/** Identifies the content of the file, without reading it. */
export function storedKeysVersion(home: string): string {
  const stat = statSync(homePaths(home).keys, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? "none" : `${stat.ino} ${stat.mtimeNs} ${stat.size}`;
}

/** Zero if no key was ever stored. */
export function storedKeysChangedAt(home: string): number {
  return statSync(homePaths(home).keys, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/**
 * The environment with the stored keys, which win over variables of the same name. The file is read again when it changes, so
 * that a new key takes effect without a restart.
 */
export function withStoredKeys(
  env: Environment,
  home: string,
  { onKey = () => undefined, onProblem = () => undefined }: Partial<KeyListener> = {},
): Environment {
  let cached: { readonly version: string; readonly keys: StoredKeys } = { version: "none", keys: {} };

  function current(): StoredKeys {
    const version = storedKeysVersion(home);
    if (version === cached.version) return cached.keys;
    try {
      cached = { version, keys: readStoredKeys(home) };
      for (const [name, { value }] of Object.entries(cached.keys)) onKey({ name, value });
    } catch (error) {
      cached = { version, keys: cached.keys };
      onProblem(error instanceof Error ? error.message : String(error));
    }
    return cached.keys;
  }

  const stored = (name: string | symbol) => (typeof name === "string" ? current()[name]?.value : undefined);
  return new Proxy(env, {
    get: (target, name) => stored(name) ?? Reflect.get(target, name),
    has: (target, name) => stored(name) !== undefined || Reflect.has(target, name),
    ownKeys: (target) => [...new Set([...Reflect.ownKeys(target), ...Object.keys(current())])],
    getOwnPropertyDescriptor(target, name) {
      const value = stored(name);
      if (value === undefined) return Reflect.getOwnPropertyDescriptor(target, name);
      return { value, enumerable: true, configurable: true, writable: true };
    },
  });
}
