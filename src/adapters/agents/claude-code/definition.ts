import type { AgentDefinition } from "../definition.ts";
import { programDocs } from "../shared/agent-package.ts";
import { noSettings } from "../shared/settings.ts";
import { CLAUDE_PACKAGE, claudeCode } from "./claude-code.ts";

export const claudeCodeAgent: AgentDefinition = {
  kind: "claude-code",
  package: CLAUDE_PACKAGE,
  ...noSettings,
  create: claudeCode,
  docs: {
    program: programDocs(CLAUDE_PACKAGE),
    modelAccess: "gateway (`ANTHROPIC_API_KEY`, or `CLAUDE_CODE_OAUTH_TOKEN` of `claude setup-token`)",
    reporting: "tool, structured output, file",
    testedWith: "the real CLI, inside the sandbox, against a scripted model",
  },
};
