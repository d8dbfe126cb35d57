import type { AgentDefinition } from "../definition.ts";
import { programDocs } from "../shared/agent-package.ts";
import { noSettings } from "../shared/settings.ts";
import { GEMINI_PACKAGE, gemini } from "./gemini.ts";

export const geminiAgent: AgentDefinition = {
  kind: "gemini",
  package: GEMINI_PACKAGE,
  ...noSettings,
  create: gemini,
  docs: {
    program: programDocs(GEMINI_PACKAGE),
    modelAccess: "gateway (`GEMINI_API_KEY`)",
    reporting: "tool, file",
    testedWith: "the real CLI, inside the sandbox, against a scripted model",
  },
};
