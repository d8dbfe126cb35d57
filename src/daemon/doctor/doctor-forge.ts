import { setTimeout as sleep } from "node:timers/promises";
import type { ForgeDefinition } from "../../adapters/forges/definition.ts";
import { findPrograms } from "../../adapters/sandboxes/grants/find-programs.ts";
import type { Settings } from "../../core/settings/settings.ts";
import type { Forge, GitCredentials } from "../../ports/forge.ts";
import { explainFinding, fine, type Finding } from "./doctor-finding.ts";
import type { RegisteredProject } from "./doctor-home.ts";
import { createForgeFinder } from "../wire/wire-forges.ts";
import { createForgeLogins } from "../wire/wire-forge-logins.ts";
import type { Secret } from "../../policy/secrets/secret-forms.ts";
import { lookupAll, resolveTarget, type Lookup } from "../../adapters/sandboxes/egress/resolve-target.ts";
import { formatTarget, parseNetworkRule, parseNetworkRules } from "../../policy/access/network-rule.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { credentialsCall } from "../../adapters/git/remote/credentials.ts";
import { git, runGit } from "../../adapters/git/git.ts";
import { checkRemote as requireRemote } from "../../adapters/git/names.ts";
import { readPerson } from "../../adapters/git/remote/network-env.ts";
import { explainRemoteFailure } from "../../adapters/git/remote/remote-errors.ts";
import { withoutCredentials } from "../../core/text/without-credentials.ts";

const FORGE_TIMEOUT_MS = 20_000;

export interface CheckForgeParams {
  readonly project: RegisteredProject;
  readonly settings: Settings;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly triesPush: boolean;
  readonly forges: readonly ForgeDefinition[];
  /** Called with the token of the user's own login. */
  readonly addSecret: (secret: Secret) => void;
}

interface OpenForge {
  readonly forge: Forge;
  /** The program whose login is used. Null if the token variable is set or there is no token. */
  readonly loginFrom: string | null;
  /** `in $GITHUB_TOKEN` or `from gh`. */
  readonly tokenFrom: string;
}

/** Looks for the user's login again, because they may have logged in just now. */
async function openForge(
  { settings, env, forges, addSecret }: Pick<CheckForgeParams, "settings" | "env" | "forges" | "addSecret">,
  remote: string,
): Promise<OpenForge | null> {
  if (settings.forge === null) return null;
  const logins = createForgeLogins({ forges, env, addSecret });
  await logins.load(settings.forge);
  const forge = createForgeFinder(forges, env, logins)({ remote }, settings);
  if (forge === null) return null;
  const loginFrom = logins.current(settings.forge)?.source ?? null;
  return { forge, loginFrom, tokenFrom: loginFrom === null ? `in $${settings.forge.tokenEnv}` : `from ${loginFrom}` };
}

/** The credentials with which Nightshift would push to the remote. Null if git uses its own. */
export async function findCredentials({
  remote,
  ...params
}: Pick<CheckForgeParams, "settings" | "env" | "forges" | "addSecret"> & {
  readonly remote: string;
}): Promise<GitCredentials | null> {
  try {
    return (await openForge(params, remote))?.forge.credentialsFor(remote) ?? null;
  } catch {
    // checkForge reports this error.
    return null;
  }
}

/** Checks that change requests can be opened: the token, its permissions, and the push. */
export async function checkForge(params: CheckForgeParams): Promise<readonly Finding[]> {
  const { project, triesPush } = params;
  const name = `forge (${project.name})`;
  let opened: OpenForge | null;
  try {
    opened = await openForge(params, project.remote);
  } catch (error) {
    return [explainFinding(name, error)];
  }
  if (opened === null) return [];
  const { forge } = opened;
  const credentials = forge.credentialsFor(project.remote);
  const [tokenFinding, publisherFindings, pushFindings] = await Promise.all([
    checkToken(name, opened),
    checkPublisher(params, opened),
    triesPush ? checkRemote(project.remote, credentials) : [],
  ]);
  return [
    tokenFinding,
    ...publisherFindings,
    ...checkWebhook(params),
    ...pushFindings.map((finding) => ({ ...finding, name: `${finding.name} (${project.name})` })),
  ];
}

/** If an agent publishes, reports that it gets the token, and checks that it has the programs and the network access. */
async function checkPublisher(
  params: CheckForgeParams,
  { forge: publisherForge, loginFrom }: OpenForge,
): Promise<readonly Finding[]> {
  const { project, settings, env } = params;
  const { forge, improve, sandbox } = settings;
  const program = params.forges.find(({ kind }) => kind === forge?.kind)?.cli.program;
  if (forge === null || program === undefined || improve.publish !== "agent") return [];
  const name = `publishing (${project.name})`;
  if (loginFrom !== null) {
    const detail = `an agent should publish, but never gets the token from ${loginFrom}, because that is your own login; no night can start`;
    const fix = `store a token with nightshift auth add ${forge.tokenEnv ?? ""}, or set improve.publish: engine`;
    return [{ name, ok: "no", detail, fix }];
  }
  const unreachable =
    sandbox.mode === "enforce" ? await findUnreachable(listForgeHosts(publisherForge), sandbox.privateHosts) : [];
  if (unreachable.length > 0) {
    const detail = `an agent should publish, but runs in the sandbox cannot connect to the forge, so no night can start:\n${unreachable.join("\n")}`;
    return [
      {
        name,
        ok: "no",
        detail,
        fix: "set improve.publish: engine, or allow a forge with a private address by sandbox.private_hosts in your config.yaml",
      },
    ];
  }
  const { missing } = findPrograms(["git", program], env["PATH"] ?? "");
  const listed = sandbox.commands?.map((command) => command.split(" ", 1)[0]) ?? null;
  const problems = [
    ...missing.map((each) => `an agent should publish with ${each.name}, which ${each.why}`),
    ...["git", program]
      .filter((each) => listed !== null && !listed.includes(each))
      .map((each) => `an agent should publish with ${each}, which is not in sandbox.commands`),
  ];
  if (problems.length === 0)
    return [
      fine(name, `an agent pushes and opens change requests with ${program}, and gets the token in $${forge.tokenEnv}`),
    ];
  const fix = "install it and add it to sandbox.commands, or set improve.publish: engine";
  return [{ name, ok: "warn", detail: problems.join("\n"), fix }];
}

/** A missing token has its own finding. */
function listForgeHosts(forge: Forge): readonly string[] {
  try {
    return forge.issueCredentials().network;
  } catch {
    return [];
  }
}

/** Only a warning: change requests are polled every two minutes anyway. */
function checkWebhook({ project, settings, env }: CheckForgeParams): readonly Finding[] {
  const variable = settings.forge?.webhookSecretEnv ?? null;
  if (variable === null || (env[variable]?.trim() ?? "") !== "") return [];
  const detail = `$${variable} is not set, so calls of the forge's webhook are ignored (forge.webhook_secret_env)`;
  const fix = "set it to the webhook's secret in the environment of the daemon";
  return [{ name: `webhook (${project.name})`, ok: "warn", detail, fix }];
}

async function checkToken(name: string, { forge, loginFrom, tokenFrom }: OpenForge): Promise<Finding> {
  const cancel = new AbortController();
  const timeout = sleep(FORGE_TIMEOUT_MS, [`${forge.repository} does not respond.`], {
    signal: cancel.signal,
    ref: false,
  });
  try {
    const problems = await Promise.race([forge.check(), timeout]);
    if (problems.length === 0)
      return fine(name, `${forge.repository}: the token ${tokenFrom} may push and open change requests`);
    const source = loginFrom === null ? [] : [`The token is ${tokenFrom}.`];
    return { name, ok: "no", detail: [...problems, ...source].join("\n"), fix: null };
  } catch (error) {
    return explainFinding(name, error);
  } finally {
    timeout.catch(() => undefined);
    cancel.abort();
  }
}

/** Explains why a run in the sandbox cannot connect to these hosts. Ignores names that do not resolve, which may be temporary. */
export async function findUnreachable(
  hosts: readonly string[],
  privateHosts: readonly string[],
  lookup: Lookup = lookupAll,
): Promise<readonly string[]> {
  const allowed = parseNetworkRules(privateHosts).rules;
  const problems: string[] = [];
  for (const host of hosts) {
    const rule = parseNetworkRule(host);
    if (typeof rule === "string") {
      problems.push(`found ${host}; allowed: ${rule}`);
      continue;
    }
    const resolved = await resolveTarget(formatTarget(rule), { rules: [rule], privateHosts: allowed }, lookup);
    if (resolved.kind === "denied") problems.push(resolved.sentence);
  }
  return problems;
}

const GIT_TIMEOUT_MS = 20_000;
/** Well-known hash of the empty tree. */
const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/**
 * Reads from the remote and does a dry-run push, without prompts, as a run would. Uses a temporary repository, so that no
 * setting of the checkout applies. `credentials`: those of the forge, if the remote belongs to one.
 */
export async function checkRemote(
  remote: string,
  credentials: GitCredentials | null = null,
): Promise<readonly Finding[]> {
  const dir = await mkdtemp(join(tmpdir(), "nightshift-doctor-"));
  try {
    const login = credentialsCall(remote, credentials, (await readPerson(undefined)).env);
    const run = (...args: readonly string[]) => runGit({ gitDir: dir, ...login, args, timeoutMs: GIT_TIMEOUT_MS });
    await git({ gitDir: dir, args: ["init", "--quiet", "--bare", "--template="] });
    const read = await run("ls-remote", "--quiet", "--", requireRemote(remote), "HEAD");
    if (read.code !== 0) return [explainFinding("remote", explainRemoteFailure(remote, read.stderr, credentials))];
    const pushed = await run(
      "push",
      "--quiet",
      "--dry-run",
      "--no-verify",
      remote,
      `${await makeCommit(dir)}:refs/heads/nightshift-doctor`,
    );
    return [
      fine("remote", `${withoutCredentials(remote)} can be read`),
      pushed.code === 0
        ? fine("push", "would be accepted")
        : explainFinding("push", explainRemoteFailure(remote, pushed.stderr, credentials)),
    ];
  } catch (error) {
    return [explainFinding("remote", error)];
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function makeCommit(gitDir: string): Promise<string> {
  const author = ["-c", "user.name=Nightshift", "-c", "user.email=nightshift@localhost"];
  await git({ gitDir, args: ["hash-object", "-t", "tree", "-w", "/dev/null"] });
  return (await git({ gitDir, args: [...author, "commit-tree", "-m", "probe", EMPTY_TREE] })).toString().trim();
}
