import type { AgentDefinition } from "../definition.ts";
import { noSettings } from "../shared/settings.ts";
import { gemini } from "./gemini.ts";

export const geminiAgent: AgentDefinition = {
  kind: "gemini",
  ...noSettings,
  create: gemini,
  docs: {
    program: "`gemini`",
    modelAccess: "gateway (`GEMINI_API_KEY`)",
    reporting: "tool, file",
    testedWith: "the real CLI, inside the sandbox, against a scripted model",
  },
};
