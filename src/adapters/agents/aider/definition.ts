import type { AgentDefinition } from "../definition.ts";
import { noSettings } from "../shared/own-settings.ts";
import { aider } from "./aider.ts";

export const aiderAgent: AgentDefinition = {
  kind: "aider",
  settings: noSettings,
  secretKeys: [],
  create: aider,
  docs: {
    program: "`aider`",
    modelReachedBy: "gateway",
    reportsBy: "file",
    seenWorking: "never: written from its documentation and source",
  },
};
