import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";
import { didYouMean } from "../../../core/text/did-you-mean.ts";
import { UserError } from "../../../core/text/errors.ts";
import type { Agent } from "../../../ports/agent.ts";
import { MINIMAL_CAPABILITIES, parseEventLine } from "../shared/event-lines.ts";

export const BUILTIN_SCRIPTS = ["happy", "fails-then-passes", "asks", "lies", "nightly"] as const;

/** Plays a script instead of calling a model. It is started and supervised like any other agent. */
export function scripted({ script: name }: { readonly script?: string | undefined }): Agent {
  const script = scriptFile(name ?? "happy");
  return {
    kind: "scripted",
    capabilities: MINIMAL_CAPABILITIES,
    program: null,
    parseLine: parseEventLine,
    command: () => ({
      argv: [process.execPath, PLAYER, script],
      env: COMPILE_CACHE,
      prompt: "stdin",
      read: [...PLAYER_FILES, script, ...parserFor(script), ...Object.values(COMPILE_CACHE)],
      files: {},
    }),
  };
}

// The player is TypeScript in a checkout and JavaScript in the package.
const IS_CHECKOUT = import.meta.url.endsWith(".ts");
const PLAYER = pathOf(`./play-script.${IS_CHECKOUT ? "ts" : "js"}`);

// Stripping types takes three times as long as playing the script. If the sandbox does not allow writing the cache, runs are only slower.
const COMPILE_CACHE: Readonly<Record<string, string>> = IS_CHECKOUT
  ? { NODE_COMPILE_CACHE: pathOf("../../../../node_modules/.cache/nightshift-scripted") }
  : {};

/** The player, the file that it imports, and package.json, which marks them as modules. */
const PLAYER_FILES = [PLAYER, pathOf(`./read-script.${IS_CHECKOUT ? "ts" : "js"}`), pathOf("../../../../package.json")];

function parserFor(script: string): readonly string[] {
  if (!/\.ya?ml$/.test(script)) return [];
  const [folder = ""] = fileURLToPath(import.meta.resolve("yaml")).split(/(?<=\/node_modules\/yaml)\//);
  return [folder];
}

function pathOf(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}

function scriptFile(name: string): string {
  if (isAbsolute(name)) return name;
  if (BUILTIN_SCRIPTS.some((shipped) => shipped === name)) {
    return pathOf(`../../../builtin/scripts/${name}.json`);
  }
  throw new UserError(
    "invalid",
    `Unknown script \`${name}\`.${didYouMean(name, BUILTIN_SCRIPTS)} Built-in scripts: ${BUILTIN_SCRIPTS.join(", ")}.`,
    "Use one of them, or the path of a .json or .yaml file that contains a `/`.",
  );
}
