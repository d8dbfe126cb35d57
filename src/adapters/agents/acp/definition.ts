import { z } from "zod";
import type { AgentDefinition } from "../definition.ts";
import { commandKey, mapCommandPaths } from "../shared/settings.ts";
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
    modelAccess: "gateway for known ones",
    reporting: "tool, file",
    testedWith: "`gemini --acp`, inside the sandbox, against a scripted model",
  },
};
