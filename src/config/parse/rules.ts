import { NIGHTLY } from "../../core/schedule/schedule.ts";
import { AGENT_KINDS } from "../schema/schema-sections.ts";
import type { KeyPath } from "./parse-yaml.ts";
import type { UserWritten } from "../schema/schema.ts";

export interface BrokenRule {
  readonly path: KeyPath;
  readonly message: string;
}

/** What the shape of a file cannot say: rules between keys. */
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
      // An agent of config.yaml may be named here to choose its model; resolve-settings.ts knows both files.
      const choosesModel = Object.keys(agent).every((key) => key === "model");
      return choosesModel
        ? []
        : [{ path, message: `is no built-in agent, so it needs \`kind\`; allowed: ${AGENT_KINDS.join(", ")}` }];
    }
    if (agent.command !== undefined && !["command", "acp"].includes(kind)) {
      return [
        { path: [...path, "command"], message: `is for the kinds \`command\` and \`acp\`, this agent is \`${kind}\`` },
      ];
    }
    if (agent.kind === "command" && agent.command === undefined) {
      return [
        {
          path,
          message:
            "is of kind `command` and needs `command`: the program and its arguments, such as `[./tools/my-agent]`",
        },
      ];
    }
    if (agent.script !== undefined && kind !== "scripted") {
      return [{ path: [...path, "script"], message: `is for the kind \`scripted\`, this agent is \`${kind}\`` }];
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
              message: "`no-secrets` is built in and takes no command; give your own check another name",
            },
          ];
    }
    const needed = check.command === undefined && check.enabled !== false;
    return needed ? [{ path, message: "needs `command`: the shell line to run, such as `npm test`" }] : [];
  });
}

function everyScheduleHasItsOwnName(written: UserWritten): BrokenRule[] {
  const names = (written.schedules ?? []).map((schedule) => schedule.name);
  return names.flatMap((name, index) => {
    const path = ["schedules", index, "name"];
    if (name === NIGHTLY)
      return [{ path, message: `\`${NIGHTLY}\` is the name of the nightly improvement; choose another` }];
    if (names.indexOf(name) === index) return [];
    return [{ path, message: `found \`${name}\` a second time; each schedule has a name of its own` }];
  });
}
