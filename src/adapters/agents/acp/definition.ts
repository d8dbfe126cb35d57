import { z } from "zod";
import type { AgentDefinition } from "../definition.ts";
import { commandKey, mapCommandPaths } from "../shared/own-settings.ts";
import { acp } from "./acp.ts";

const settings = z.object({ command: commandKey });

export const acpAgent: AgentDefinition = {
  kind: "acp",
  settings,
  secretKeys: [],
  mapPaths: mapCommandPaths,
  create: ({ options }) => acp(settings.parse(options)),
  docs: {
    program: "any agent that speaks ACP, named by `command`",
    modelReachedBy: "gateway for known ones",
    reportsBy: "tool, file",
    seenWorking: "`gemini --acp`, inside the sandbox, against a scripted model",
  },
};
