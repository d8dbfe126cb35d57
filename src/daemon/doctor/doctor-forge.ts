import { setTimeout as sleep } from "node:timers/promises";
import type { ForgeDefinition } from "../../adapters/forges/definition.ts";
import { findPrograms } from "../../adapters/sandboxes/grants/find-programs.ts";
import type { Settings } from "../../core/settings/settings.ts";
import type { Forge, GitCredentials } from "../../ports/forge.ts";
import { explainFinding, fine, type Finding } from "./doctor-finding.ts";
import type { RegisteredProject } from "./doctor-home.ts";
import { findUnreachable } from "./doctor-reach.ts";
import { checkRemote } from "./doctor-remote.ts";
import { createForgeFinder } from "../wire/wire-forges.ts";

const PATIENCE_MS = 20_000;

export interface CheckForgeParams {
  readonly project: RegisteredProject;
  readonly settings: Settings;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly triesPush: boolean;
  readonly forges: readonly ForgeDefinition[];
}

/** What git would be given to push there; null where it has its own ways. */
export function findCredentials({
  remote,
  settings,
  env,
  forges,
}: Pick<CheckForgeParams, "settings" | "env" | "forges"> & { readonly remote: string }): GitCredentials | null {
  try {
    return createForgeFinder(forges, env)({ remote }, settings)?.credentialsFor(remote) ?? null;
  } catch {
    // Why there is no forge has a finding of its own.
    return null;
  }
}

/** Whether a change request could be opened tonight: the token, what it may do, and the push. */
export async function checkForge(params: CheckForgeParams): Promise<readonly Finding[]> {
  const { project, settings, env, triesPush } = params;
  const name = `forge (${project.name})`;
  let forge: Forge | null;
  try {
    forge = createForgeFinder(params.forges, env)(project, settings);
  } catch (error) {
    return [explainFinding(name, error)];
  }
  if (forge === null) return [];
  const credentials = forge.credentialsFor(project.remote);
  const [ofToken, ofPublisher, ofPush] = await Promise.all([
    checkToken(name, forge),
    checkPublisher(params, forge),
    triesPush ? checkRemote(project.remote, credentials) : [],
  ]);
  return [
    ofToken,
    ...ofPublisher,
    ...checkWebhook(params),
    ...ofPush.map((finding) => ({ ...finding, name: `${finding.name} (${project.name})` })),
  ];
}

/** Where an agent publishes: that it holds the token, and whether it has what it needs. */
async function checkPublisher(params: CheckForgeParams, lender: Forge): Promise<readonly Finding[]> {
  const { project, settings, env } = params;
  const { forge, improve, sandbox } = settings;
  const program = params.forges.find(({ kind }) => kind === forge?.kind)?.cli.program;
  if (forge === null || program === undefined || improve.publish !== "agent") return [];
  const name = `publishing (${project.name})`;
  const walledOff = sandbox.mode === "enforce" ? await findUnreachable(hostsOf(lender)) : [];
  if (walledOff.length > 0) {
    const detail = `an agent is to publish, and no run in the sandbox may reach the forge, so every night would end at its start:\n${walledOff.join("\n")}`;
    return [{ name, ok: "no", detail, fix: "set improve.publish: engine" }];
  }
  const { missing } = findPrograms(["git", program], env["PATH"] ?? "");
  const listed = sandbox.commands?.map((command) => command.split(" ", 1)[0]) ?? null;
  const problems = [
    ...missing.map((each) => `an agent is to publish by ${each.name}, which ${each.why}`),
    ...["git", program]
      .filter((each) => listed !== null && !listed.includes(each))
      .map((each) => `an agent is to publish by ${each}, which is not in sandbox.commands`),
  ];
  if (problems.length === 0)
    return [fine(name, `an agent pushes and opens by ${program}, and holds the token in $${forge.tokenEnv} meanwhile`)];
  const fix = "install it and name it in sandbox.commands, or set improve.publish: engine";
  return [{ name, ok: "warn", detail: problems.join("\n"), fix }];
}

/** Without a token nothing can be lent, which has a finding of its own. */
function hostsOf(lender: Forge): readonly string[] {
  try {
    return lender.issueCredentials().network;
  } catch {
    return [];
  }
}

/** Without its secret nothing is lost but time: change requests are looked at every two minutes anyway. */
function checkWebhook({ project, settings, env }: CheckForgeParams): readonly Finding[] {
  const variable = settings.forge?.webhookSecretEnv ?? null;
  if (variable === null || (env[variable]?.trim() ?? "") !== "") return [];
  const detail = `$${variable} is not set, so the forge's webhook is not listened to (forge.webhook_secret_env)`;
  const fix = "put the webhook's secret into it, where the daemon starts";
  return [{ name: `webhook (${project.name})`, ok: "warn", detail, fix }];
}

async function checkToken(name: string, forge: Forge): Promise<Finding> {
  const late = new AbortController();
  const silence = sleep(PATIENCE_MS, [`${forge.place} does not answer.`], { signal: late.signal, ref: false });
  try {
    const problems = await Promise.race([forge.check(), silence]);
    if (problems.length === 0) return fine(name, `${forge.place}: the token may push and open change requests`);
    return { name, ok: "no", detail: problems.join("\n"), fix: null };
  } catch (error) {
    return explainFinding(name, error);
  } finally {
    silence.catch(() => undefined);
    late.abort();
  }
}
