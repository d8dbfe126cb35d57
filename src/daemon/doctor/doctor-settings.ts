import { findPrograms } from "../../adapters/sandboxes/grants/find-programs.ts";
import { resolveGrants } from "../../adapters/sandboxes/grants/resolve-grants.ts";
import type { UserWritten } from "../../config/schema/schema.ts";
import { listWithoutEffect } from "../../config/parse/without-effect.ts";
import type { SandboxMode } from "../../core/settings/settings.ts";
import { explainFinding, type Finding } from "./doctor-finding.ts";

/** What a layer of settings requires from this machine. Paths are absolute. */
export interface SettingsParams {
  readonly sandbox?:
    | {
        readonly write?: readonly string[] | undefined;
        readonly read?: readonly string[] | undefined;
        readonly commands?: readonly string[] | null | undefined;
      }
    | undefined;
  readonly secrets?: Readonly<Record<string, { readonly roles: readonly string[] }>> | undefined;
}

interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly mode: SandboxMode;
}

/** Checks that the machine has the paths, programs and secrets in the settings. */
export function checkSettings(layers: readonly SettingsParams[], { env, home, mode }: Machine): readonly Finding[] {
  const write = mergeLists(layers.map(({ sandbox }) => sandbox?.write));
  const read = mergeLists(layers.map(({ sandbox }) => sandbox?.read));
  return [
    ...(mode === "enforce" ? checkPaths({ write, read, forbidden: [home] }) : []),
    ...checkCommands(mergeLists(layers.map(({ sandbox }) => sandbox?.commands)), env["PATH"] ?? ""),
    ...checkSecrets(layers, env),
  ];
}

function mergeLists(lists: readonly (readonly string[] | null | undefined)[]): readonly string[] {
  return [...new Set(lists.flatMap((list) => list ?? []))];
}

/** Resolves the paths like a run does. An invalid path would make every run fail. */
function checkPaths(grants: Parameters<typeof resolveGrants>[0]): readonly Finding[] {
  try {
    resolveGrants(grants);
    return [];
  } catch (error) {
    return [explainFinding("sandbox paths", error)];
  }
}

function checkCommands(commands: readonly string[], path: string): readonly Finding[] {
  const { missing } = findPrograms(commands, path);
  return warn(
    "commands",
    missing.map(({ name, why }) => `${name} is in sandbox.commands, but ${why}`),
    "install it, or remove it from sandbox.commands",
  );
}

function checkSecrets(layers: readonly SettingsParams[], env: Machine["env"]): readonly Finding[] {
  const granted = new Map(layers.flatMap(({ secrets }) => Object.entries(secrets ?? {})));
  const unset = [...granted].filter(([name]) => (env[name] ?? "") === "");
  return warn(
    "secrets",
    unset.map(([name, { roles }]) => `${name} is granted to ${roles.join(", ")}, but is not set`),
    "set it in the environment of the daemon, or remove it from secrets",
  );
}

export function checkWithoutEffect(written: UserWritten): readonly Finding[] {
  const keys = listWithoutEffect(written);
  if (keys.length === 0) return [];
  return warn("no effect", [`these settings have no effect in this version: ${keys.join(", ")}`], null);
}

function warn(name: string, problems: readonly string[], fix: string | null): readonly Finding[] {
  return problems.length === 0 ? [] : [{ name, ok: "warn", detail: problems.join("\n"), fix }];
}
