import type { AgentDefinition } from "../definition.ts";
import { noSettings } from "../shared/settings.ts";
import { cursor } from "./cursor.ts";

export const cursorAgent: AgentDefinition = {
  kind: "cursor",
  ...noSettings,
  create: cursor,
  docs: {
    program: "`cursor-agent`",
    modelAccess: "by itself, with a key granted under `secrets`",
    reporting: "file",
    testedWith: "never: written from its documentation",
  },
};
