import { createRedactor, type Redactor } from "../policy/secrets/redact.ts";
import { isLongEnough, SHORTEST_SECRET, type Secret } from "../policy/secrets/secret-forms.ts";
import { isCredential, passwordsIn } from "../policy/secrets/secret-names.ts";

/** Secrets to redact from logs, events, notices and transcripts. Secrets are never removed. */
export interface KnownSecrets {
  /** A redactor for all secrets added so far. Do not keep it: later secrets need a new one. */
  current(): Redactor;
  /** The secrets themselves, for the supervisor of a job. */
  values(): readonly Secret[];
  /** Secrets that cannot be redacted, one sentence each. */
  problems(): readonly string[];
  /** Adds a value that is not in an environment variable, such as the daemon's own token. */
  add(secret: Secret): void;
  /** Adds a key that a person stored. Of an address, only its password is secret. */
  addStored(secret: Secret): void;
  /** Adds the values of these environment variables, if they are set. */
  addVariables(names: readonly string[]): void;
}

export function createKnownSecrets(env: Readonly<Record<string, string | undefined>>): KnownSecrets {
  const known = new Map<string, Secret>();
  const tooShort = new Set<string>();
  let redactor: Redactor | null = null;

  function add({ name, value }: Secret): void {
    if (value.trim() === "" || known.has(value)) return;
    if (!isLongEnough(value)) return void tooShort.add(name);
    known.set(value, { name, value });
    redactor = null;
  }

  function addStored({ name, value }: Secret): void {
    if (!name.endsWith("_BASE_URL")) add({ name, value });
    for (const password of passwordsIn(value)) add({ name, value: password });
  }

  function addVariables(names: readonly string[]): void {
    for (const name of names) add({ name, value: env[name] ?? "" });
  }

  for (const [name, value = ""] of Object.entries(env)) {
    if (isCredential(name, value)) add({ name, value });
    for (const password of passwordsIn(value)) add({ name, value: password });
  }

  return {
    current: () => (redactor ??= createRedactor([...known.values()])),
    values: () => [...known.values()],
    problems: () =>
      [...tooShort].map(
        (name) =>
          `${name} has fewer than ${SHORTEST_SECRET} characters and cannot be redacted from logs and transcripts`,
      ),
    add,
    addStored,
    addVariables,
  };
}
