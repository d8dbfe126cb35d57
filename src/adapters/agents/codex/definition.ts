import type { AgentDefinition } from "../definition.ts";
import { noSettings } from "../shared/own-settings.ts";
import { codex } from "./codex.ts";

export const codexAgent: AgentDefinition = {
  kind: "codex",
  settings: noSettings,
  secretKeys: [],
  create: codex,
  docs: {
    program: "`codex`",
    modelReachedBy: "gateway (`OPENAI_API_KEY`)",
    reportsBy: "tool, structured output, file",
    seenWorking: "the real CLI, inside the sandbox, against a scripted model",
  },
};
