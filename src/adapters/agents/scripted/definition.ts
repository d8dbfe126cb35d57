import { z } from "zod";
import { text } from "../../../core/settings/values.ts";
import type { AgentDefinition } from "../definition.ts";
import { scripted } from "./scripted.ts";

const settings = z.object({
  script: text.optional().describe("For `scripted`: name of a built-in script, or a path relative to this file."),
});

export const scriptedAgent: AgentDefinition = {
  kind: "scripted",
  settings,
  secretKeys: [],
  mapPaths(written, map) {
    const { script } = settings.parse(written);
    return script?.includes("/") ? { script: map(script) } : {};
  },
  create: ({ options }) => scripted(settings.parse(options)),
  docs: {
    program: "plays a file of steps, no model involved",
    modelAccess: "–",
    reporting: "file",
    testedWith: "tests and the demo",
  },
};
