import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";
import { didYouMean } from "../../../core/text/did-you-mean.ts";
import { UserError } from "../../../core/text/errors.ts";
import type { Agent } from "../../../ports/agent.ts";
import { OWN_CAPABILITIES, parseOwnLine } from "../shared/own-events.ts";

export const SHIPPED_SCRIPTS = ["happy", "fails-then-passes", "asks", "lies", "nightly"] as const;

/** Plays a file of steps instead of asking a model; a program like any other, started and watched in the same way. */
export function scripted({ script: name }: { readonly script?: string | undefined }): Agent {
  const script = scriptFile(name ?? "happy");
  return {
    kind: "scripted",
    capabilities: OWN_CAPABILITIES,
    program: null,
    parseLine: parseOwnLine,
    command: () => ({
      argv: [process.execPath, PLAYER, script],
      env: COMPILE_CACHE,
      prompt: "stdin",
      read: [...PLAYER_FILES, script, ...parserFor(script), ...Object.values(COMPILE_CACHE)],
      files: {},
    }),
  };
}

// The player stands beside this file: as TypeScript in a checkout, as JavaScript in the package.
const IS_CHECKOUT = import.meta.url.endsWith(".ts");
const PLAYER = pathOf(`./play-script.${IS_CHECKOUT ? "ts" : "js"}`);

// Taking the types off takes Node three times as long as playing. A sandbox that lets nobody write there costs only that time.
const COMPILE_CACHE: Readonly<Record<string, string>> = IS_CHECKOUT
  ? { NODE_COMPILE_CACHE: pathOf("../../../../node_modules/.cache/nightshift-scripted") }
  : {};

/** The player, the reader beside it, and what tells Node that they are modules. */
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
  if (SHIPPED_SCRIPTS.some((shipped) => shipped === name)) {
    return pathOf(`../../../builtin/scripts/${name}.json`);
  }
  throw new UserError(
    "invalid",
    `There is no script \`${name}\`.${didYouMean(name, SHIPPED_SCRIPTS)} Shipped are ${SHIPPED_SCRIPTS.join(", ")}.`,
    "Name one of them, or the path of a .json or .yaml file, written with a `/`.",
  );
}
