import { forgeAddress, type ForgeAddress } from "../../../core/forge/forge-address.ts";
import type { ForgeSettings } from "../../../core/settings/settings.ts";
import { isLongEnough } from "../../../policy/secrets/secret-forms.ts";
import type { ForgeDefinition } from "../definition.ts";
import { runLoginProgram, type LoginAnswer, type LoginProgram } from "./run-login-program.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** A token that the user already has on this machine. */
export interface HostLogin {
  /** The program that has it: `gh`, `glab` or `git`. */
  readonly source: string;
  readonly token: string;
  /** The user name of git's credential helper. Null if the forge's usual one is to be used. */
  readonly username: string | null;
}

export interface FindLoginParams {
  readonly definition: Pick<ForgeDefinition, "cli" | "site">;
  readonly settings: Pick<ForgeSettings, "url">;
  readonly env: Environment;
  readonly timeoutMs?: number | undefined;
}

export interface FoundLogin {
  readonly login: HostLogin | null;
  /** A program did not answer in time. */
  readonly timedOut: boolean;
}

const TIMEOUT_MS = 5_000;

/**
 * Variables that these programs need to find their configuration, the keyring and the network. Everything else is withheld: a
 * token variable, for example, would be printed for any host.
 */
const PASSED_VARIABLES =
  /^(PATH|HOME|USER|LOGNAME|LANG|LC_\w+|TMPDIR|XDG_\w+|DBUS_SESSION_BUS_ADDRESS|(GH|GLAB)_CONFIG_DIR|GNUPGHOME|PASSWORD_STORE_DIR|GIT_CONFIG_(GLOBAL|SYSTEM)|SSL_CERT_(FILE|DIR)|(https?|no)_proxy)$/i;

/** Nothing may prompt, not even in a window. */
const WITHOUT_PROMPTS: Readonly<Record<string, string>> = {
  GIT_TERMINAL_PROMPT: "0",
  // Empty disables core.askPass and SSH_ASKPASS too.
  GIT_ASKPASS: "",
  GCM_INTERACTIVE: "never",
  GH_PROMPT_DISABLED: "1",
  GH_NO_UPDATE_NOTIFIER: "1",
  NO_PROMPT: "true",
  GLAB_CHECK_UPDATE: "false",
};

/** Asks the forge's CLI for its login, then git's credential helper. */
export async function findLogin(params: FindLoginParams): Promise<FoundLogin> {
  const { definition, settings, env, timeoutMs = TIMEOUT_MS } = params;
  const address = forgeAddress(definition.site, settings.url);
  // Without PATH, the system would search its own default folders.
  if (address === null || !isSafe(address) || (env["PATH"] ?? "") === "") return { login: null, timedOut: false };
  let timedOut = false;
  const run = async (program: Pick<LoginProgram, "program" | "args" | "input">): Promise<LoginAnswer> => {
    const answer = await runLoginProgram({ ...program, env: loginEnv(env), timeoutMs });
    timedOut ||= answer.kind === "timeout";
    return answer;
  };
  const { program, loginArgs } = definition.cli;
  const fromCli = loginArgs === undefined ? null : await run({ program, args: loginArgs(address) });
  const token = readToken(fromCli);
  if (token !== null) return { login: { source: program, token, username: null }, timedOut };
  const { protocol, host } = new URL(address.web);
  const input = `protocol=${protocol.slice(0, -1)}\nhost=${host}\n\n`;
  const fromGit = await run({
    program: "git",
    args: ["-c", "credential.interactive=false", "credential", "fill"],
    input,
  });
  return { login: readCredential(fromGit), timedOut };
}

/** The user logged in over https, so the token is not sent in clear text to another machine. */
function isSafe({ web }: ForgeAddress): boolean {
  const { protocol, hostname } = new URL(web);
  return protocol === "https:" || hostname === "localhost" || hostname === "[::1]" || /^127\.[\d.]+$/.test(hostname);
}

function loginEnv(env: Environment): Record<string, string> {
  const passed = Object.keys(env).flatMap((name) => {
    const value = env[name];
    return value !== undefined && PASSED_VARIABLES.test(name) ? [[name, value]] : [];
  });
  return { ...Object.fromEntries(passed), ...WITHOUT_PROMPTS };
}

function readToken(answer: LoginAnswer | null): string | null {
  return answer?.kind === "printed" ? checkToken(answer.text.trim()) : null;
}

function readCredential(answer: LoginAnswer): HostLogin | null {
  if (answer.kind !== "printed") return null;
  const fields = new Map(
    answer.text.split("\n").map((line): [string, string] => {
      const end = line.indexOf("=");
      return [line.slice(0, end), line.slice(end + 1)];
    }),
  );
  const token = checkToken(fields.get("password") ?? "");
  return token === null ? null : { source: "git", token, username: fields.get("username") || null };
}

/** Null for anything that is not a token, or that is too short to be redacted. */
function checkToken(text: string): string | null {
  return /^[\u0021-\u007e]{1,1000}$/.test(text) && isLongEnough(text) ? text : null;
}
