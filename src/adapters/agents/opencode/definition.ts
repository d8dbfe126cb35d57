import type { AgentDefinition } from "../definition.ts";
import { noSettings } from "../shared/own-settings.ts";
import { opencode } from "./opencode.ts";

export const opencodeAgent: AgentDefinition = {
  kind: "opencode",
  settings: noSettings,
  secretKeys: [],
  create: opencode,
  docs: {
    program: "`opencode`",
    modelReachedBy: "gateway (`OPENAI_API_KEY`, any OpenAI-compatible address)",
    reportsBy: "tool, file",
    seenWorking: "the real CLI, inside the sandbox, against a scripted model",
  },
};
