import { z } from "zod";
import type { AgentDefinition } from "../definition.ts";
import { commandKey, mapCommandPaths } from "../shared/settings.ts";
import { command } from "./command.ts";

const settings = z.object({
  command: commandKey,
  prompt: z
    .enum(["stdin", "file"])
    .optional()
    .describe("For `command`: how the program receives the prompt; default `stdin`."),
});

export const commandAgent: AgentDefinition = {
  kind: "command",
  settings,
  secretKeys: [],
  mapPaths: mapCommandPaths,
  required: { key: "command", what: "the program and its arguments, such as `[./tools/my-agent]`" },
  create: ({ options }) => command(settings.parse(options)),
  docs: {
    program: "a program of yours that follows the contract below",
    modelAccess: "by itself",
    reporting: "file",
    testedWith: "tests",
  },
};
