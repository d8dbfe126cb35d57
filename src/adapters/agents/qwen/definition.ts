import type { AgentDefinition } from "../definition.ts";
import { programDocs } from "../shared/agent-package.ts";
import { noSettings } from "../shared/settings.ts";
import { QWEN_PACKAGE, qwen } from "./qwen.ts";

export const qwenAgent: AgentDefinition = {
  kind: "qwen",
  package: QWEN_PACKAGE,
  ...noSettings,
  create: qwen,
  docs: {
    program: programDocs(QWEN_PACKAGE),
    modelAccess: "gateway (`OPENAI_API_KEY`)",
    reporting: "tool, structured output, file",
    testedWith: "the real CLI, inside the sandbox, against a scripted model, in a hostile repository too",
  },
};
