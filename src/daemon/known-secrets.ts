import { createRedactor, type Redactor } from "../policy/secrets/redact.ts";
import { isLongEnough, SHORTEST_SECRET, type Secret } from "../policy/secrets/secret-forms.ts";
import { isCredential, passwordsIn } from "../policy/secrets/secret-names.ts";

/** What nobody is to read in a log, an event, a notice or a transcript. Only grows: what was a secret once stays one. */
export interface KnownSecrets {
  /** Knows whatever was learned so far; to be asked for anew each time. */
  current(): Redactor;
  /** The secrets themselves, for the supervisor of a job. */
  values(): readonly Secret[];
  /** What cannot be kept out of sight, a sentence each. */
  problems(): readonly string[];
  /** A value that is in no variable, such as the daemon's own token. */
  hold(secret: Secret): void;
  /** The values of these environment variables, as far as they are set. */
  holdVariables(names: readonly string[]): void;
}

export function createKnownSecrets(env: Readonly<Record<string, string | undefined>>): KnownSecrets {
  const known = new Map<string, Secret>();
  const tooShort = new Set<string>();
  let redactor: Redactor | null = null;

  function hold({ name, value }: Secret): void {
    if (value.trim() === "" || known.has(value)) return;
    if (!isLongEnough(value)) return void tooShort.add(name);
    known.set(value, { name, value });
    redactor = null;
  }

  function holdVariables(names: readonly string[]): void {
    for (const name of names) hold({ name, value: env[name] ?? "" });
  }

  for (const [name, value = ""] of Object.entries(env)) {
    if (isCredential(name, value)) hold({ name, value });
    for (const password of passwordsIn(value)) hold({ name, value: password });
  }

  return {
    current: () => (redactor ??= createRedactor([...known.values()])),
    values: () => [...known.values()],
    problems: () =>
      [...tooShort].map(
        (name) => `${name} has fewer than ${SHORTEST_SECRET} characters: it is not kept out of logs and transcripts`,
      ),
    hold,
    holdVariables,
  };
}
