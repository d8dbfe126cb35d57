import { findPrograms } from "../../adapters/sandboxes/grants/find-programs.ts";
import { resolveGrants } from "../../adapters/sandboxes/grants/resolve-grants.ts";
import type { UserWritten } from "../../config/schema/schema.ts";
import { listWithoutEffect } from "../../config/parse/without-effect.ts";
import type { SandboxMode } from "../../core/settings/settings.ts";
import { explainFinding, type Finding } from "./doctor-finding.ts";

/** What a layer of settings asks this machine for, paths absolute. */
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

/** Whether the machine has what is asked for, and a run would get it. */
export function checkSettings(layers: readonly SettingsParams[], { env, home, mode }: Machine): readonly Finding[] {
  const write = unite(layers.map(({ sandbox }) => sandbox?.write));
  const read = unite(layers.map(({ sandbox }) => sandbox?.read));
  return [
    ...(mode === "enforce" ? checkPaths({ write, read, forbidden: [home] }) : []),
    ...checkCommands(unite(layers.map(({ sandbox }) => sandbox?.commands)), env["PATH"] ?? ""),
    ...checkSecrets(layers, env),
  ];
}

function unite(lists: readonly (readonly string[] | null | undefined)[]): readonly string[] {
  return [...new Set(lists.flatMap((list) => list ?? []))];
}

/** As each run resolves them: what is refused here refuses every run. */
function checkPaths(asked: Parameters<typeof resolveGrants>[0]): readonly Finding[] {
  try {
    resolveGrants(asked);
    return [];
  } catch (error) {
    return [explainFinding("sandbox paths", error)];
  }
}

function checkCommands(commands: readonly string[], path: string): readonly Finding[] {
  const { missing } = findPrograms(commands, path);
  return warn(
    "commands",
    missing.map(({ name, why }) => `${name} is in sandbox.commands and ${why}`),
    "install it, or take it out of sandbox.commands",
  );
}

function checkSecrets(layers: readonly SettingsParams[], env: Machine["env"]): readonly Finding[] {
  const granted = new Map(layers.flatMap(({ secrets }) => Object.entries(secrets ?? {})));
  const unset = [...granted].filter(([name]) => (env[name] ?? "") === "");
  return warn(
    "secrets",
    unset.map(([name, { roles }]) => `${name} is granted to ${roles.join(", ")} and not set`),
    "set it where the daemon is started, or take it out of secrets",
  );
}

export function noteWithoutEffect(written: UserWritten): readonly Finding[] {
  const keys = listWithoutEffect(written);
  if (keys.length === 0) return [];
  return warn("no effect", [`these settings have no effect in this version: ${keys.join(", ")}`], null);
}

function warn(name: string, sentences: readonly string[], fix: string | null): readonly Finding[] {
  return sentences.length === 0 ? [] : [{ name, ok: "warn", detail: sentences.join("\n"), fix }];
}
