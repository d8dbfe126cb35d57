import type { AgentDefinition } from "../definition.ts";
import { noSettings } from "../shared/settings.ts";
import { aider } from "./aider.ts";

export const aiderAgent: AgentDefinition = {
  kind: "aider",
  ...noSettings,
  create: aider,
  docs: {
    program: "`aider` 0.76.0 or newer",
    modelAccess: "gateway",
    reporting: "file",
    testedWith: "never: written from its documentation and source",
  },
};
