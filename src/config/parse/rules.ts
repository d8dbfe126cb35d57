import { NIGHTLY } from "../../core/schedule/schedule.ts";
import { AGENT_KINDS } from "../schema/schema-sections.ts";
import type { KeyPath } from "./parse-yaml.ts";
import type { UserWritten } from "../schema/schema.ts";

export interface BrokenRule {
  readonly path: KeyPath;
  readonly message: string;
}

/** Rules between keys that the schema cannot express. */
export const CONFIG_RULES: readonly ((written: UserWritten) => BrokenRule[])[] = [
  everyAgentHasAKind,
  everyCheckHasACommand,
  everyScheduleHasItsOwnName,
];

const BUILT_IN: readonly string[] = AGENT_KINDS;

function everyAgentHasAKind(written: UserWritten): BrokenRule[] {
  return Object.entries(written.agents ?? {}).flatMap(([name, agent]) => {
    const path = ["agents", name];
    const kind = agent.kind ?? (BUILT_IN.includes(name) ? name : null);
    if (kind === null) {
      // The project's file may only choose a model for an agent of config.yaml. resolve-settings.ts has both files.
      const choosesModel = Object.keys(agent).every((key) => key === "model");
      return choosesModel
        ? []
        : [{ path, message: `is not a built-in agent and needs \`kind\`; allowed: ${AGENT_KINDS.join(", ")}` }];
    }
    if (agent.command !== undefined && !["command", "acp"].includes(kind)) {
      return [
        {
          path: [...path, "command"],
          message: `is allowed only for the kinds \`command\` and \`acp\`, but this agent is \`${kind}\``,
        },
      ];
    }
    if (agent.kind === "command" && agent.command === undefined) {
      return [
        {
          path,
          message:
            "has the kind `command` and needs the key `command`: the program and its arguments, such as `[./tools/my-agent]`",
        },
      ];
    }
    if (agent.script !== undefined && kind !== "scripted") {
      return [
        {
          path: [...path, "script"],
          message: `is allowed only for the kind \`scripted\`, but this agent is \`${kind}\``,
        },
      ];
    }
    return [];
  });
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
