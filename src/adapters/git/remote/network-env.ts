import { BASE_ENV, runGit } from "../git.ts";

export interface Person {
  readonly identity: Identity;
  /** For fetch and push only: the user's home, keys and credential helper, but no prompts. */
  readonly env: Readonly<Record<string, string>>;
}

export interface Identity {
  readonly name: string;
  readonly email: string;
}

const FALLBACK: Identity = { name: "Nightshift", email: "nightshift@localhost" };
/** Reads the user's global configuration, independent of the current directory. */
const NO_REPOSITORY = "/";
const GIT_VARIABLES_KEPT = /^GIT_(SSH|SSH_COMMAND|SSH_VARIANT|SSL_\w+|PROXY_\w+|CONFIG_GLOBAL|CONFIG_SYSTEM)$/;
const SSH_OPTIONS = "-o BatchMode=yes -o ConnectTimeout=20 -o ServerAliveInterval=20 -o ServerAliveCountMax=3";

/** Reads the user's identity and ssh settings with one git call. */
export async function readPerson(given: Identity | undefined): Promise<Person> {
  const env = batchEnv();
  const settings = await readSettings(env);
  const sshCommand = env["GIT_SSH_COMMAND"] ?? settings.get("core.sshcommand") ?? (env["GIT_SSH"] ? undefined : "ssh");
  if (sshCommand !== undefined) env["GIT_SSH_COMMAND"] = `${sshCommand} ${SSH_OPTIONS}`;
  const identity = given ?? {
    name: settings.get("user.name") || FALLBACK.name,
    email: settings.get("user.email") || FALLBACK.email,
  };
  return {
    identity: { name: removeInvalidCharacters(identity.name), email: removeInvalidCharacters(identity.email) },
    env,
  };
}

async function readSettings(env: Readonly<Record<string, string>>): Promise<Map<string, string>> {
  const pattern = "^(user\\.(name|email)|core\\.sshcommand)$";
  const { stdout } = await runGit({ gitDir: NO_REPOSITORY, env, args: ["config", "-z", "--get-regexp", pattern] });
  const settings = new Map<string, string>();
  for (const entry of stdout.toString().split("\0")) {
    const end = entry.indexOf("\n");
    if (end > 0) settings.set(entry.slice(0, end), entry.slice(end + 1));
  }
  return settings;
}

function batchEnv(): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value === undefined || (name.startsWith("GIT_") && !GIT_VARIABLES_KEPT.test(name))) continue;
    env[name] = value;
  }
  return {
    ...env,
    ...BASE_ENV,
    GIT_ASKPASS: "false",
    SSH_ASKPASS: "false",
    SSH_ASKPASS_REQUIRE: "never",
    GCM_INTERACTIVE: "never",
  };
}

/** Removes characters that an author line cannot contain. */
function removeInvalidCharacters(text: string): string {
  // oxlint-disable-next-line no-control-regex -- removes control characters
  return text.replaceAll(/[<>\u0000-\u001f]/g, "").trim();
}
