import type { AgentDefinition } from "../definition.ts";
import { programDocs } from "../shared/agent-package.ts";
import { noSettings } from "../shared/settings.ts";
import { CODEX_PACKAGE, codex } from "./codex.ts";

export const codexAgent: AgentDefinition = {
  kind: "codex",
  package: CODEX_PACKAGE,
  ...noSettings,
  create: codex,
  docs: {
    program: programDocs(CODEX_PACKAGE),
    modelAccess: "gateway (`OPENAI_API_KEY`)",
    reporting: "tool, structured output, file",
    testedWith: "the real CLI, inside the sandbox, against a scripted model",
  },
};
