import type { AgentDefinition } from "../definition.ts";
import { noSettings } from "../shared/own-settings.ts";
import { cursor } from "./cursor.ts";

export const cursorAgent: AgentDefinition = {
  kind: "cursor",
  settings: noSettings,
  secretKeys: [],
  create: cursor,
  docs: {
    program: "`cursor-agent`",
    modelReachedBy: "by itself, with a key granted under `secrets`",
    reportsBy: "file",
    seenWorking: "never: written from its documentation",
  },
};
