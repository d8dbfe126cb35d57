import { NIGHTLY } from "../../core/schedule/schedule.ts";
import type { AgentKind, ForgeKind, OwnSettings, SettingsKind, SettingsKinds } from "../../core/settings/kinds.ts";
import type { WrittenAgent, UserWritten } from "../schema/schema.ts";
import type { KeyPath } from "./parse-yaml.ts";

export interface BrokenRule {
  readonly path: KeyPath;
  readonly message: string;
}

/** Checks the rules between keys that the schema cannot express. */
export function checkRules(written: UserWritten, kinds: SettingsKinds): BrokenRule[] {
  return [
    ...everyAgentFitsItsKind(written, kinds.agents),
    ...theForgeFitsItsKind(written, kinds.forges),
    ...everyCheckHasACommand(written),
    ...everyScheduleHasItsOwnName(written),
  ];
}

function everyAgentFitsItsKind(written: UserWritten, agents: readonly AgentKind[]): BrokenRule[] {
  return Object.entries(written.agents ?? {}).flatMap(([name, agent]) => {
    const path = ["agents", name];
    const found = findAgentKind(agents, name, agent);
    if (found === null) {
      // The project's file may only choose a model for an agent of config.yaml. resolve-settings.ts has both files.
      const choosesModel = Object.keys(agent).every((key) => key === "model");
      const known = agents.map(({ kind }) => kind).join(", ");
      return choosesModel ? [] : [{ path, message: `is not a built-in agent and needs \`kind\`; allowed: ${known}` }];
    }
    const { kind, required } = found;
    if (agent.kind !== undefined && required !== undefined && agent[required.key] === undefined)
      return [{ path, message: `has the kind \`${kind}\` and needs the key \`${required.key}\`: ${required.what}` }];
    return listForeignKeys(agents, found, agent).map(({ key, owners }) => ({
      path: [...path, key],
      message: `is allowed only for the ${owners}, but this agent is \`${kind}\``,
    }));
  });
}

function theForgeFitsItsKind({ forge }: UserWritten, forges: readonly ForgeKind[]): BrokenRule[] {
  const found = forges.find(({ kind }) => kind === forge?.kind);
  if (forge === undefined || found === undefined) return [];
  return listForeignKeys(forges, found, forge).map(({ key, owners }) => ({
    path: ["forge", key],
    message: `is allowed only for the ${owners}, but this forge is \`${found.kind}\``,
  }));
}

/** The keys that other kinds own and this one does not, and whose they are: "kinds `a` and `b`". */
function listForeignKeys(
  kinds: readonly SettingsKind[],
  { settings }: SettingsKind,
  written: OwnSettings,
): { key: string; owners: string }[] {
  return Object.keys(written).flatMap((key) => {
    const owners = kinds.filter((each) => Object.hasOwn(each.settings.shape, key));
    if (owners.length === 0 || Object.hasOwn(settings.shape, key)) return [];
    const names = owners.map(({ kind }) => `\`${kind}\``).join(" and ");
    return [{ key, owners: `${owners.length === 1 ? "kind" : "kinds"} ${names}` }];
  });
}

/** A built-in agent goes by its own name; null where the file names neither. */
export function findAgentKind(agents: readonly AgentKind[], name: string, { kind }: WrittenAgent): AgentKind | null {
  return agents.find((each) => each.kind === (kind ?? name)) ?? null;
}

function everyCheckHasACommand(written: UserWritten): BrokenRule[] {
  return Object.entries(written.checks ?? {}).flatMap(([name, check]) => {
    const path = ["checks", name];
    if (name === "no-secrets") {
      return check.command === undefined
        ? []
        : [
            {
              path: [...path, "command"],
              message: "`no-secrets` is built in and has no command; use another name for your own check",
            },
          ];
    }
    const needed = check.command === undefined && check.enabled !== false;
    return needed ? [{ path, message: "needs `command`: the shell command to run, such as `npm test`" }] : [];
  });
}

function everyScheduleHasItsOwnName(written: UserWritten): BrokenRule[] {
  const names = (written.schedules ?? []).map((schedule) => schedule.name);
  return names.flatMap((name, index) => {
    const path = ["schedules", index, "name"];
    if (name === NIGHTLY)
      return [{ path, message: `\`${NIGHTLY}\` is the name of the nightly improvement; choose another` }];
    if (names.indexOf(name) === index) return [];
    return [{ path, message: `found \`${name}\` twice; each schedule needs a unique name` }];
  });
}
