import type { AgentDefinition } from "../definition.ts";
import { programDocs } from "../shared/agent-package.ts";
import { noSettings } from "../shared/settings.ts";
import { OPENCODE_PACKAGE, opencode } from "./opencode.ts";

export const opencodeAgent: AgentDefinition = {
  kind: "opencode",
  package: OPENCODE_PACKAGE,
  ...noSettings,
  create: opencode,
  docs: {
    program: programDocs(OPENCODE_PACKAGE),
    modelAccess: "gateway (`OPENAI_API_KEY`, any OpenAI-compatible address)",
    reporting: "tool, file",
    testedWith: "the real CLI, inside the sandbox, against a scripted model",
  },
};
