import type { AgentDefinition } from "../definition.ts";
import { noSettings } from "../shared/settings.ts";
import { claudeCode } from "./claude-code.ts";

export const claudeCodeAgent: AgentDefinition = {
  kind: "claude-code",
  ...noSettings,
  create: claudeCode,
  docs: {
    program: "`claude` 2.1.300 or newer",
    modelAccess: "gateway (`ANTHROPIC_API_KEY`, or `CLAUDE_CODE_OAUTH_TOKEN` of `claude setup-token`)",
    reporting: "tool, structured output, file",
    testedWith: "the real CLI, inside the sandbox, against a scripted model",
  },
};
