import { z } from "zod";
import type { OwnSettings } from "../../../core/settings/kinds.ts";
import { argv } from "../../../core/settings/values.ts";

/** Settings of agents that only take a model. */
export const noSettings = { settings: z.object({}), secretKeys: [] };

/** Setting of agents whose program the user chooses. */
export const commandKey = argv
  .optional()
  .describe("For `command` and `acp`: program and arguments. Paths are relative to this file.");

const commandSettings = z.object({ command: commandKey });

export function mapCommandPaths(written: OwnSettings, map: (path: string) => string): OwnSettings {
  const { command } = commandSettings.parse(written);
  if (command === undefined) return {};
  return { command: command.map((word, index) => (isPath(word, index === 0) ? map(word) : word)) };
}

/** Arguments such as `a/b` and `s/x/y/` look like paths but may not be, so they need an explicit `./`, `../` or `~/`. */
function isPath(word: string, isProgram: boolean): boolean {
  return word.startsWith("./") || word.startsWith("../") || word.startsWith("~/") || (isProgram && word.includes("/"));
}
