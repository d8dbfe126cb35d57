import { z } from "zod";
import type { OwnSettings } from "../../../core/settings/kinds.ts";
import { argv } from "../../../core/settings/values.ts";

/** For agents that take nothing but a model. */
export const noSettings = z.object({});

/** For agents whose program the user names. */
export const commandKey = argv
  .optional()
  .describe("For `command` and `acp`: program and arguments. Paths are relative to this file.");

const commandSettings = z.object({ command: commandKey });

export function mapCommandPaths(written: OwnSettings, map: (path: string) => string): OwnSettings {
  const { command } = commandSettings.parse(written);
  if (command === undefined) return {};
  return { command: command.map((word, index) => (isPath(word, index === 0) ? map(word) : word)) };
}

/** An argument may look like a path and be none (`a/b`, `s/x/y/`): only `./` and `../` say so for sure. */
function isPath(word: string, isProgram: boolean): boolean {
  return word.startsWith("./") || word.startsWith("../") || word.startsWith("~/") || (isProgram && word.includes("/"));
}
