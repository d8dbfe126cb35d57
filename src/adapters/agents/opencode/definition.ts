import type { AgentDefinition } from "../definition.ts";
import { noSettings } from "../shared/settings.ts";
import { opencode } from "./opencode.ts";

export const opencodeAgent: AgentDefinition = {
  kind: "opencode",
  ...noSettings,
  create: opencode,
  docs: {
    program: "`opencode`",
    modelAccess: "gateway (`OPENAI_API_KEY`, any OpenAI-compatible address)",
    reporting: "tool, file",
    testedWith: "the real CLI, inside the sandbox, against a scripted model",
  },
};
