import type { AgentDefinition } from "../definition.ts";
import { noSettings } from "../shared/settings.ts";
import { qwen } from "./qwen.ts";

export const qwenAgent: AgentDefinition = {
  kind: "qwen",
  ...noSettings,
  create: qwen,
  docs: {
    program: "`qwen`",
    modelAccess: "gateway (`OPENAI_API_KEY`)",
    reporting: "tool, structured output, file",
    testedWith: "the real CLI, inside the sandbox, against a scripted model, in a hostile repository too",
  },
};
