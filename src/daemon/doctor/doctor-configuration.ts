import { statSync } from "node:fs";
import { join } from "node:path";
import { BASIC_PROGRAMS, findCompanions } from "../../adapters/sandboxes/bubblewrap/companions.ts";
import type { SandboxMode, Settings } from "../../core/settings/settings.ts";
import { isAllowed, parseNetworkRule, parseNetworkRules } from "../../policy/access/network-rule.ts";
import { listUsedPrograms } from "../../policy/access/used-programs.ts";
import { findRegistryHosts } from "../detect/detect-registry.ts";
import type { Finding } from "./doctor-finding.ts";

export interface ConfigurationParams {
  readonly settings: Pick<Settings, "checks" | "workspace" | "sandbox">;
  /** The checkout. Null if the project has none. */
  readonly dir: string | null;
  readonly mode: SandboxMode;
}

const THEN_TRUST = "then run nightshift trust";

/** Finds settings that cannot work, before a run spends money on finding out. */
export async function checkConfiguration(params: ConfigurationParams): Promise<readonly Finding[]> {
  const sandbox =
    params.mode === "enforce" ? [...findMissingPrograms(params), ...(await findMissingHosts(params))] : [];
  return [...sandbox, ...findCopiedFolders(params)];
}

function findMissingPrograms({ settings: { checks, workspace, sandbox } }: ConfigurationParams): readonly Finding[] {
  if (sandbox.commands === null) return [];
  const listed = sandbox.commands.map((command) => command.split(" ", 1)[0]?.split("/").at(-1) ?? "");
  // Everything that may execute has bash.
  const available = new Set([...BASIC_PROGRAMS, "bash", ...listed, ...listed.flatMap(findCompanions)]);
  const commands = [
    ...checks.flatMap(({ name, command, related }) => [
      { what: `the check ${name}`, command },
      ...(related === null ? [] : [{ what: `the check ${name}`, command: related }]),
    ]),
    ...(workspace.setup === null ? [] : [{ what: "workspace.setup", command: workspace.setup }]),
  ];
  const problems = commands.flatMap(({ what, command }) =>
    listUsedPrograms(command)
      .filter((program) => !available.has(program))
      .map((program) => `${what} uses ${program}, which is not in sandbox.commands`),
  );
  if (problems.length === 0) return [];
  const detail = [...new Set(problems)].join("\n");
  return [{ name: "check programs", ok: "no", detail, fix: `add it to sandbox.commands, ${THEN_TRUST}` }];
}

async function findMissingHosts({ settings, dir }: ConfigurationParams): Promise<readonly Finding[]> {
  const { setup } = settings.workspace;
  const { rules } = parseNetworkRules(settings.sandbox.network);
  const hosts = dir === null ? [] : await findRegistryHosts(setup, dir);
  const missing = hosts.filter((host) => {
    const wanted = parseNetworkRule(host);
    return typeof wanted !== "string" && !isAllowed(rules, wanted.host, wanted.port);
  });
  if (missing.length === 0) return [];
  const detail = `workspace.setup (${setup}) downloads from ${missing.join(", ")}, which sandbox.network does not allow`;
  return [{ name: "setup network", ok: "warn", detail, fix: `add it to sandbox.network, ${THEN_TRUST}` }];
}

function findCopiedFolders({ settings, dir }: ConfigurationParams): readonly Finding[] {
  const folders = settings.workspace.copy.filter(
    (file) => dir !== null && statSync(join(dir, file), { throwIfNoEntry: false })?.isDirectory() === true,
  );
  if (folders.length === 0) return [];
  const detail = `workspace.copy lists ${folders.join(", ")}, but only files can be copied, so every run would fail`;
  return [
    {
      name: "workspace.copy",
      ok: "no",
      detail,
      fix: `list the files themselves, or use workspace.link, ${THEN_TRUST}`,
    },
  ];
}
