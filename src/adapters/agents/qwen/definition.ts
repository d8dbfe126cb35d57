import type { AgentDefinition } from "../definition.ts";
import { noSettings } from "../shared/own-settings.ts";
import { qwen } from "./qwen.ts";

export const qwenAgent: AgentDefinition = {
  kind: "qwen",
  settings: noSettings,
  secretKeys: [],
  create: qwen,
  docs: {
    program: "`qwen`",
    modelReachedBy: "gateway (`OPENAI_API_KEY`)",
    reportsBy: "tool, structured output, file",
    seenWorking: "the real CLI, inside the sandbox, against a scripted model, in a hostile repository too",
  },
};
