import { acpAgent } from "./acp/definition.ts";
import { aiderAgent } from "./aider/definition.ts";
import { claudeCodeAgent } from "./claude-code/definition.ts";
import { codexAgent } from "./codex/definition.ts";
import { commandAgent } from "./command/definition.ts";
import { cursorAgent } from "./cursor/definition.ts";
import type { AgentDefinition } from "./definition.ts";
import { geminiAgent } from "./gemini/definition.ts";
import { opencodeAgent } from "./opencode/definition.ts";
import { qwenAgent } from "./qwen/definition.ts";
import { scriptedAgent } from "./scripted/definition.ts";

/** Every kind of agent, in the order in which `init` prefers them. */
export const AGENTS: readonly AgentDefinition[] = [
  claudeCodeAgent,
  codexAgent,
  geminiAgent,
  qwenAgent,
  opencodeAgent,
  cursorAgent,
  aiderAgent,
  acpAgent,
  commandAgent,
  scriptedAgent,
];
