import type { AgentDefinition } from "../definition.ts";
import { noSettings } from "../shared/own-settings.ts";
import { gemini } from "./gemini.ts";

export const geminiAgent: AgentDefinition = {
  kind: "gemini",
  settings: noSettings,
  secretKeys: [],
  create: gemini,
  docs: {
    program: "`gemini`",
    modelReachedBy: "gateway (`GEMINI_API_KEY`)",
    reportsBy: "tool, file",
    seenWorking: "the real CLI, inside the sandbox, against a scripted model",
  },
};
