import type { AgentDefinition } from "../definition.ts";
import { noSettings } from "../shared/settings.ts";
import { codex } from "./codex.ts";

export const codexAgent: AgentDefinition = {
  kind: "codex",
  ...noSettings,
  create: codex,
  docs: {
    program: "`codex`",
    modelAccess: "gateway (`OPENAI_API_KEY`)",
    reporting: "tool, structured output, file",
    testedWith: "the real CLI, inside the sandbox, against a scripted model",
  },
};
