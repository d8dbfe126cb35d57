import { createRedactor, type Redactor } from "../policy/secrets/redact.ts";
import { isLongEnough, SHORTEST_SECRET, type Secret } from "../policy/secrets/secret-forms.ts";
import { isCredential, passwordsIn } from "../policy/secrets/secret-names.ts";
import type { Settings } from "../core/task/settings.ts";
import type { UserConfig } from "../config/files/user-config.ts";
import type { ProjectFiles } from "../ports/projects.ts";
import type { Project } from "../ports/store.ts";

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
  /** The variables that the user's own file names. */
  learnUser(user: Pick<UserConfig, "notify">): void;
  /** The same files, whose every reading teaches what they name: nothing has to be read for this alone. */
  learnFrom<T extends Pick<ProjectFiles, "settings" | "lastGood">>(projects: T): T;
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

  function learn(name: string | null | undefined): void {
    const value = name === null || name === undefined ? undefined : env[name];
    if (name && value !== undefined) hold({ name, value });
  }

  function learnProject(project: Project, settings: Settings): void {
    for (const name of Object.keys(settings.secrets)) learn(name);
    learn(settings.forge?.tokenEnv);
    learn(settings.forge?.webhookSecretEnv);
    learn(settings.notify.ntfy?.tokenEnv);
    learn(settings.notify.webhook?.secretEnv);
    learn(settings.notify.confluence?.tokenEnv);
    for (const value of passwordsIn(project.remote)) hold({ name: `password of ${project.name}'s remote`, value });
  }

  for (const [name, value = ""] of Object.entries(env)) {
    if (isCredential(name, value)) learn(name);
    for (const password of passwordsIn(value)) hold({ name, value: password });
  }

  function learning(read: ProjectFiles["settings"]): ProjectFiles["settings"] {
    return async (project) => {
      const settings = await read(project);
      learnProject(project, settings);
      return settings;
    };
  }

  return {
    current: () => (redactor ??= createRedactor([...known.values()])),
    values: () => [...known.values()],
    problems: () =>
      [...tooShort].map(
        (name) => `${name} has fewer than ${SHORTEST_SECRET} characters: it is not kept out of logs and transcripts`,
      ),
    hold,
    learnUser({ notify }) {
      learn(notify.ntfy?.token_env);
      learn(notify.webhook?.secret_env);
      learn(notify.confluence?.token_env);
    },
    learnFrom: (projects) => ({
      ...projects,
      settings: learning(projects.settings),
      lastGood: learning(projects.lastGood),
    }),
  };
}
