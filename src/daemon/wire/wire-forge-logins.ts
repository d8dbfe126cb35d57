import type { ForgeDefinition } from "../../adapters/forges/definition.ts";
import { findLogin, type FoundLogin, type HostLogin } from "../../adapters/forges/login/find-login.ts";
import type { ForgeSettings } from "../../core/settings/settings.ts";
import type { Secret } from "../../policy/secrets/secret-forms.ts";

/** The user's own logins at forges, for projects whose token variable is not set. */
export interface ForgeLogins {
  /** Finds the login for these settings unless it is known. Never rejects. */
  load(settings: ForgeSettings | null): Promise<void>;
  /** The login that was loaded last. Null if there is none, if the token variable is set, or if the user forbids it. */
  current(settings: ForgeSettings): HostLogin | null;
  /** The forge refused this token: the next `load` looks for another one. */
  reject(token: string): void;
}

export interface ForgeLoginsParams {
  readonly forges: readonly ForgeDefinition[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Redacts the token from everything that is printed later. */
  readonly addSecret: (secret: Secret) => void;
  readonly now?: () => number;
  readonly timeoutMs?: number | undefined;
}

interface Entry {
  /** Resolves when the programs have answered. */
  loading: Promise<void>;
  login: HostLogin | null;
  expiresAt: number;
}

const KEEP_MS = 5 * 60_000;
/** The user may log in at any time. */
const KEEP_NONE_MS = 30_000;
/** Loading settings waits for the programs, so one that hangs is not asked often. */
const KEEP_TIMEOUT_MS = 5 * 60_000;

/**
 * Settings are loaded before a forge is opened, so `load` runs when they are read and `current` needs no waiting. Only settings
 * that are in effect get here: a `forge` that no person accepted is not one of them.
 */
export function createForgeLogins(params: ForgeLoginsParams): ForgeLogins {
  const { forges, env, addSecret, now = () => performance.now() } = params;
  const entries = new Map<string, Entry>();
  const mayUseLogin = (settings: ForgeSettings): boolean =>
    settings.usesOwnLogin && readTokenVariable(settings, env) === null;

  function keep(entry: Entry, { login, timedOut }: FoundLogin): void {
    if (login !== null) addSecret({ name: `${login.source} login`, value: login.token });
    // A slow program does not mean that the user logged out.
    entry.login = login ?? (timedOut ? entry.login : null);
    entry.expiresAt = now() + (timedOut ? KEEP_TIMEOUT_MS : login === null ? KEEP_NONE_MS : KEEP_MS);
  }

  return {
    async load(settings) {
      const definition = forges.find(({ kind }) => kind === settings?.kind);
      if (settings === null || definition === undefined || !mayUseLogin(settings)) return;
      const known = entries.get(keyOf(settings));
      const entry: Entry = known ?? { loading: Promise.resolve(), login: null, expiresAt: 0 };
      if (entry.expiresAt <= now()) {
        entries.set(keyOf(settings), entry);
        entry.expiresAt = Infinity;
        const found = findLogin({ definition, settings, env, timeoutMs: params.timeoutMs });
        entry.loading = found.then((answer) => keep(entry, answer));
      }
      await entry.loading;
    },
    current(settings) {
      return mayUseLogin(settings) ? (entries.get(keyOf(settings))?.login ?? null) : null;
    },
    reject(token) {
      for (const entry of entries.values())
        if (entry.login?.token === token && entry.expiresAt !== Infinity) entry.expiresAt = 0;
    },
  };
}

function keyOf({ kind, url }: ForgeSettings): string {
  return JSON.stringify([kind, url]);
}

/** The token from the variable that the settings name. Null if it is not set. */
export function readTokenVariable(
  { tokenEnv }: Pick<ForgeSettings, "tokenEnv">,
  env: Readonly<Record<string, string | undefined>>,
): string | null {
  const token = tokenEnv === null ? "" : (env[tokenEnv]?.trim() ?? "");
  return token === "" ? null : token;
}
